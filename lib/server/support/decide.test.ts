// Threats: operator-token-abused
import { describe, expect, it } from 'vitest';
import { type AccountFacts, toEmailWithoutMailbox } from '@/lib/server/policy';
import { ACCOUNT_ACTIONS, type AccountAction } from '@/lib/shared/support/desk';
import { ACTION_REFUSALS, type ActionFacts, decideAction, listPossibleActions } from './decide';

const account: AccountFacts = {
  uid: 'u1',
  email: 'mia@acme.test',
  emailVerified: true,
  verifiedAtProvider: true,
  hadOtherEmail: false,
  hasProvedEmail: true,
  disabled: false,
  validSince: 0,
  methods: [{ id: 'password', email: 'mia@acme.test' }],
  legacy: false,
  hasClaims: false,
  managed: false,
  requiresSso: false,
  hasSecondFactor: false,
  twoFactorProviders: [],
  secondFactorRules: [],
  accessLevel: 'standard',
};
const plain: ActionFacts = {
  account,
  isDisabled: false,
  hasRecords: true,
  hasSecondFactor: false,
  areFactorsLocked: false,
  deletion: 'none',
};
const disabled = { account: { ...account, disabled: true }, isDisabled: true };
const unconfirmed = { account: { ...account, emailVerified: false } };
const managed = { account: { ...account, managed: true, emailVerified: false } };
const lockedForGood = { account: { ...account, email: toEmailWithoutMailbox('1'), emailVerified: false } };
const withoutEmail = { account: { ...account, email: null, emailVerified: false } };

const WITHOUT_MAILBOX = [
  'no-mailbox',
  'no-mailbox',
  ...[null, null, 'not-disabled', 'factors-not-locked', 'no-deletion', 'no-second-factor', null, null],
];
/** For each state, every action with the rule that refuses it, or null. In the order of `ACCOUNT_ACTIONS`. */
const TABLE: [state: string, more: Partial<ActionFacts>, rules: (string | null)[]][] = [
  // resend-confirmation, send-reset, sign-out, disable, enable, unlock, cancel-deletion, second-factor-off, delete, export
  [
    'a plain account',
    {},
    [
      'confirmed-email',
      null,
      null,
      null,
      'not-disabled',
      'factors-not-locked',
      'no-deletion',
      'no-second-factor',
      null,
      null,
    ],
  ],
  [
    'an email that is not confirmed',
    unconfirmed,
    [null, null, null, null, 'not-disabled', 'factors-not-locked', 'no-deletion', 'no-second-factor', null, null],
  ],
  [
    'an account of an organization',
    managed,
    [
      'no-password-by-email',
      'no-password-by-email',
      ...[null, null, 'not-disabled', 'factors-not-locked', 'no-deletion', 'no-second-factor', null, null],
    ],
  ],
  ['no email', withoutEmail, WITHOUT_MAILBOX],
  ['an email without a mailbox', lockedForGood, WITHOUT_MAILBOX],
  [
    'a disabled account',
    disabled,
    [
      'disabled-account',
      'disabled-account',
      ...[null, 'already-disabled', null, 'factors-not-locked', 'no-deletion', 'no-second-factor', null, null],
    ],
  ],
  [
    'a locked second factor',
    { hasSecondFactor: true, areFactorsLocked: true },
    ['confirmed-email', null, null, null, 'not-disabled', null, 'no-deletion', null, null, null],
  ],
  [
    'a scheduled deletion',
    { deletion: 'scheduled' },
    ['confirmed-email', null, null, null, 'not-disabled', 'factors-not-locked', null, 'no-second-factor', null, null],
  ],
  ['a deletion that has begun', { deletion: 'begun' }, refuseAll('deletion-begun', 'delete')],
  ['records of a deleted account', { account: null }, refuseAll('deleted-account', 'delete')],
  ['no account', { account: null, hasRecords: false }, refuseAll('unknown-account')],
];

function refuseAll(rule: string, except?: AccountAction): (string | null)[] {
  return ACCOUNT_ACTIONS.map((action) => (action === except ? null : rule));
}

describe('an operator with', () => {
  const cells = TABLE.flatMap(([state, more, rules]) =>
    ACCOUNT_ACTIONS.map((action, index) => ({ state, more, action, rule: rules[index] })),
  );

  it.each(cells)('$state: $action is refused by $rule', ({ more, action, rule }) => {
    expect(decideAction(action, { ...plain, ...more })?.rule ?? null).toBe(rule);
  });

  it('has a cell of every rule and every action', () => {
    for (const [, , rules] of TABLE) expect(rules).toHaveLength(ACCOUNT_ACTIONS.length);
    const tested = new Set(TABLE.flatMap(([, , rules]) => rules));
    expect(ACTION_REFUSALS.map(({ rule }) => rule).filter((rule) => !tested.has(rule))).toEqual([]);
    const allowed = new Set(cells.filter(({ rule }) => rule === null).map(({ action }) => action));
    expect([...allowed].toSorted()).toEqual([...ACCOUNT_ACTIONS].toSorted());
  });

  it('only the actions that the token allows and the account needs', () => {
    const ada = { name: 'ada', actions: ['read', 'enable', 'disable', 'sign-out'] } as const;
    expect(listPossibleActions(ada, plain)).toEqual(['sign-out', 'disable']);
    expect(listPossibleActions(ada, { ...plain, account: null })).toEqual([]);
    expect(listPossibleActions({ name: 'grace', actions: ['read'] }, plain)).toEqual([]);
  });

  it('no action that sets a password, reads a code or opens a session', () => {
    expect(ACCOUNT_ACTIONS.filter((action) => /password|code|session|impersonate|login|link/.test(action))).toEqual([]);
  });
});
