// Threats: email-change-abused
import { describe, expect, it } from 'vitest';
import {
  decideEmailChange,
  decideEmailProof,
  decideEmailUndo,
  getOwnUntil,
  EMAIL_CHANGE_MS,
  EMAIL_UNDO_MS,
  type EmailChange,
  type EmailChangeFacts,
  type EmailProofFacts,
} from './email-change';

const requestedAt = new Date('2026-11-30T10:00:00.400Z');
const SECOND = requestedAt.getTime() / 1000;

describe('decideEmailChange', () => {
  const plain: EmailChangeFacts = {
    account: { email: 'lena@campus.test', managed: false },
    to: 'lena@new.test',
    isOfOrganization: false,
    isDeletionScheduled: false,
    hasRoom: true,
  };
  it.each<[string, Partial<EmailChangeFacts>, string | null]>([
    ['another email', {}, null],
    ['an account of an organization', { account: { email: 'lena@acme.test', managed: true } }, 'email-managed'],
    ['an email of an organization', { isOfOrganization: true }, 'email-of-organization'],
    ['an account that is going to be deleted', { isDeletionScheduled: true }, 'deletion-scheduled'],
    ['the same email', { to: 'lena@campus.test' }, 'bad-request'],
    ['an account without an email', { account: { email: null, managed: false } }, 'bad-request'],
    ['an account with many claims', { hasRoom: false }, 'bad-request'],
  ])('for %s', (_, more, code) => {
    expect(decideEmailChange({ ...plain, ...more })).toBe(code);
  });
});

describe('decideEmailProof', () => {
  const change: EmailChange = { from: 'lena@campus.test', requestedAt, doneAt: null, endedAt: null, ageMs: 0 };
  const account = { email: 'lena@campus.test', disabled: false, managed: false, validSince: 0 };
  const plain: EmailProofFacts = { change, account, isDeletionScheduled: false, isTaken: false };
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
  ])('%s', (_, more, outcome) => {
    expect(decideEmailProof({ ...plain, ...more })).toBe(outcome);
  });
});

describe('decideEmailUndo', () => {
  const change: EmailChange = { from: 'lena@campus.test', requestedAt, doneAt: null, endedAt: null, ageMs: 0 };
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
  ])('%s', (_, of, isTaken, outcome) => {
    expect(decideEmailUndo(of, isTaken)).toBe(outcome);
  });
});

describe('getOwnUntil', () => {
  it('distrusts passkeys of the week before the request', () => {
    expect(getOwnUntil({ requestedAt }).toISOString()).toBe('2026-11-23T10:00:00.400Z');
  });
});
