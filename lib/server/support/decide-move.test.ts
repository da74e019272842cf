// Threats: operator-token-abused
import { describe, expect, it } from 'vitest';
import { toEmailWithoutMailbox } from '@/lib/server/policy';
import { decideMove, MOVE_REFUSALS, type MoveFacts } from './decide-move';

const confirmed = { email: 'mia@acme.test', emailVerified: true, managed: false };
const plain: MoveFacts = {
  account: confirmed,
  to: 'mia@campus.test',
  holder: null,
  hasOtherPasskeys: false,
  isDeletionScheduled: false,
  hasRoom: true,
};
const unconfirmed = { ...confirmed, emailVerified: false };

const TABLE: [state: string, more: Partial<MoveFacts>, rule: string | null][] = [
  ['a confirmed account', {}, null],
  ['with passkeys', { hasOtherPasskeys: true }, null],
  ['none', { account: null }, 'unknown-account'],
  ['a scheduled deletion', { isDeletionScheduled: true }, 'deletion-scheduled'],
  ['the same email', { to: 'mia@acme.test' }, 'same-email'],
  ['the same email, after an interrupted attempt', { to: 'mia@acme.test', hasOtherPasskeys: true }, null],
  ['an unconfirmed email', { account: unconfirmed }, 'unconfirmed-email'],
  ['no email', { account: { ...unconfirmed, email: null } }, 'unconfirmed-email'],
  ['an organization that is authorized for its email', { account: { ...unconfirmed, managed: true } }, null],
  ['a lock', { account: { ...unconfirmed, email: toEmailWithoutMailbox('1') } }, null],
  ['a taken email', { holder: 'other' }, 'email-taken'],
  ['many custom claims', { hasRoom: false }, 'no-room-for-email'],
];

describe('decideMove', () => {
  it.each(TABLE)('an account with %s', (_, more, rule) => {
    expect(decideMove({ ...plain, ...more })?.rule ?? null).toBe(rule);
  });

  it('uses every rule', () => {
    expect(TABLE.flatMap(([, , rule]) => rule ?? [])).toEqual(
      expect.arrayContaining(MOVE_REFUSALS.map(({ rule }) => rule)),
    );
  });
});
