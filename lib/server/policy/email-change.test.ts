// Threats: email-change-abused
import { describe, expect, it } from 'vitest';
import {
  decideEmailChange,
  decideEmailProof,
  decideEmailUndo,
  decideResetAccount,
  getOwnUntil,
  EMAIL_CHANGE_MS,
  EMAIL_UNDO_MS,
  type EmailChange,
  type EmailChangeFacts,
  type EmailProofFacts,
} from './email-change';

const requestedAt = new Date('2026-11-30T10:00:00.400Z');
const SECOND = requestedAt.getTime() / 1000;
const change: EmailChange = {
  ...{ kind: 'main', from: 'lena@campus.test' },
  ...{ requestedAt, doneAt: null, endedAt: null, ageMs: 0 },
};

describe('decideEmailChange', () => {
  const plain: EmailChangeFacts = {
    kind: 'main',
    account: { email: 'lena@campus.test', emailVerified: true, managed: false },
    to: 'lena@new.test',
    isOfOrganization: false,
    isDeletionScheduled: false,
    hasRoom: true,
    hasRecoveryEmail: false,
  };
  const managed = { email: 'lena@acme.test', emailVerified: true, managed: true };
  it.each<[string, Partial<EmailChangeFacts>, string | null]>([
    ['another email', {}, null],
    ['an account of an organization', { account: managed }, 'email-managed'],
    ['an email of an organization', { isOfOrganization: true }, 'email-of-organization'],
    ['an account that is going to be deleted', { isDeletionScheduled: true }, 'deletion-scheduled'],
    ['the same email', { to: 'lena@campus.test' }, 'bad-request'],
    ['an account without an email', { account: { email: null, emailVerified: true, managed: false } }, 'bad-request'],
    ['an account with many claims', { hasRoom: false }, 'bad-request'],
    ['an account with a recovery email', { hasRecoveryEmail: true }, null],
    ['a recovery email', { kind: 'recovery' }, null],
    ['a recovery email of an account of an organization', { kind: 'recovery', account: managed }, null],
    ['a recovery email of an organization', { kind: 'recovery', isOfOrganization: true }, 'email-of-organization'],
    [
      'a recovery email of an account that is going to be deleted',
      { kind: 'recovery', isDeletionScheduled: true },
      'deletion-scheduled',
    ],
    ['the same recovery email as the email', { kind: 'recovery', to: 'lena@campus.test' }, 'bad-request'],
    ['a recovery email of an account with many claims', { kind: 'recovery', hasRoom: false }, null],
    ['a second recovery email', { kind: 'recovery', hasRecoveryEmail: true }, 'bad-request'],
    [
      'a recovery email of an account without a confirmed email',
      { kind: 'recovery', account: { ...plain.account, emailVerified: false } },
      'bad-request',
    ],
  ])('for %s', (_, more, code) => {
    expect(decideEmailChange({ ...plain, ...more })).toBe(code);
  });
});

describe('decideEmailProof', () => {
  const account = {
    ...{ email: 'lena@campus.test', emailVerified: true },
    ...{ disabled: false, managed: false, validSince: 0 },
  };
  const rest = { isDeletionScheduled: false, hasRecoveryEmail: false, isTaken: false };
  const plain: EmailProofFacts = { change, account, ...rest };
  const recovery = { ...change, kind: 'recovery' as const };
  it.each<[string, Partial<EmailProofFacts>, string | null]>([
    ['in time', {}, null],
    ['at the last moment', { change: { ...change, ageMs: EMAIL_CHANGE_MS } }, null],
    ['too late', { change: { ...change, ageMs: EMAIL_CHANGE_MS + 1 } }, 'expired'],
    ['of an unknown request', { change: null }, 'expired'],
    ['of a request that was canceled or replaced', { change: { ...change, endedAt: requestedAt } }, 'ended'],
    ['again', { change: { ...change, doneAt: requestedAt } }, 'ended'],
    ['after a revocation before the request', { account: { ...account, validSince: SECOND - 1.4 } }, null],
    ['after a revocation in the second of the request', { account: { ...account, validSince: SECOND - 0.4 } }, 'ended'],
    ['after a later revocation', { account: { ...account, validSince: SECOND + 0.6 } }, 'ended'],
    ['of an account that has another email by now', { account: { ...account, email: 'x@campus.test' } }, 'ended'],
    ['of a disabled account', { account: { ...account, disabled: true } }, 'ended'],
    ['of an account that an organization manages by now', { account: { ...account, managed: true } }, 'ended'],
    ['of an account that is going to be deleted', { isDeletionScheduled: true }, 'ended'],
    ['of an email that another account has by now', { isTaken: true }, 'taken'],
    ['of an account with a recovery email', { hasRecoveryEmail: true }, null],
    ['of a recovery email', { change: recovery }, null],
    ['of a recovery email, too late', { change: { ...recovery, ageMs: EMAIL_CHANGE_MS + 1 } }, 'expired'],
    ['of a recovery email again', { change: { ...recovery, doneAt: requestedAt } }, 'ended'],
    [
      'of a recovery email after a revocation',
      { change: recovery, account: { ...account, validSince: SECOND } },
      'ended',
    ],
    ['of a recovery email of a managed account', { change: recovery, account: { ...account, managed: true } }, null],
    [
      'of a recovery email of another email',
      { change: recovery, account: { ...account, email: 'x@campus.test' } },
      'ended',
    ],
    [
      'of a recovery email of a disabled account',
      { change: recovery, account: { ...account, disabled: true } },
      'ended',
    ],
    [
      'of a recovery email of an unconfirmed account',
      { change: recovery, account: { ...account, emailVerified: false } },
      'ended',
    ],
    ['of a second recovery email', { change: recovery, hasRecoveryEmail: true }, 'ended'],
    ['of a recovery email, before a deletion', { change: recovery, isDeletionScheduled: true }, 'ended'],
    ['of a recovery email that has an account', { change: recovery, isTaken: true }, 'taken'],
  ])('%s', (_, more, outcome) => {
    expect(decideEmailProof({ ...plain, ...more })).toBe(outcome);
  });
});

describe('decideEmailUndo', () => {
  const done = { ...change, doneAt: requestedAt };
  it.each<[string, EmailChange | null, boolean, string]>([
    ['before the change', change, false, 'cancel'],
    ['after the change', done, false, 'restore'],
    ['a week later', { ...done, ageMs: EMAIL_UNDO_MS }, false, 'restore'],
    ['more than a week later', { ...done, ageMs: EMAIL_UNDO_MS + 1 }, false, 'expired'],
    ['again', { ...done, endedAt: requestedAt }, false, 'ended'],
    ['of an unknown request', null, false, 'expired'],
    ['of an email that another account has proved since', done, true, 'taken'],
    ['before the change, also if another account has the email', change, true, 'cancel'],
    ['of a recovery email', { ...done, kind: 'recovery' }, false, 'remove'],
    ['of a recovery email, also if another account has the email', { ...done, kind: 'recovery' }, true, 'remove'],
    ['of a recovery email that was not added', { ...change, kind: 'recovery' }, false, 'cancel'],
    ['of a recovery email again', { ...done, kind: 'recovery', endedAt: requestedAt }, false, 'ended'],
    ['of a recovery email, too late', { ...done, kind: 'recovery', ageMs: EMAIL_UNDO_MS + 1 }, false, 'expired'],
  ])('%s', (_, of, isTaken, outcome) => {
    expect(decideEmailUndo(of, isTaken)).toBe(outcome);
  });
});

describe('getOwnUntil', () => {
  it('distrusts passkeys of the week before the request', () => {
    expect(getOwnUntil({ requestedAt }).toISOString()).toBe('2026-11-23T10:00:00.400Z');
  });
});

describe('decideResetAccount', () => {
  const proved = { emailVerified: true };
  const unproved = { emailVerified: false };
  it.each([
    ['no account', null, null, null],
    ['its account', proved, null, 'holder'],
    ['its account without a proof, which the reset proves', unproved, null, 'holder'],
    ['a recovery email', null, proved, 'owner'],
    ['a recovery email that has an account by now', proved, proved, 'holder'],
    ['a recovery email that anyone has registered', unproved, proved, 'owner'],
    ['a recovery email of an unconfirmed account, which it must not confirm', null, unproved, null],
    ['a registered recovery email of an unconfirmed account', unproved, unproved, 'holder'],
    ['an account and a recovery email of an unconfirmed account', proved, unproved, 'holder'],
  ])('of %s', (_, holder, owner, chosen) => {
    expect(decideResetAccount({ holder, owner })).toBe(chosen);
  });
});
