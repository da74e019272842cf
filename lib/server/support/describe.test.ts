import { describe, expect, it } from 'vitest';
import { describeAccountForSupport, STATEMENTS, type SupportFacts } from './describe';

const NOW = new Date('2026-11-29T12:00:00Z');
const account: NonNullable<SupportFacts['account']> = {
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
  accessLevel: 'standard',
};
const plain: SupportFacts = {
  account,
  hasOtherEmail: false,
  organization: null,
  passkeys: 0,
  secondFactorSince: null,
  factorsLockedUntil: null,
  resetAt: null,
  deletion: null,
};
const saml = [{ id: 'saml.acme', email: 'mia@acme.test' }];

/** Facts to which each statement applies alone. */
const CASES: [rule: string, more: Partial<SupportFacts>, text: string][] = [
  ['deleted-account', { account: null }, 'The account is deleted. Records of it remain.'],
  ['disabled-account', { account: { ...account, disabled: true } }, 'disabled. No one can sign in'],
  [
    'other-email-than-proved',
    { account: { ...account, disabled: true }, hasOtherEmail: true },
    'restores the proved one',
  ],
  [
    'deletion-scheduled',
    { deletion: { effectiveAt: new Date('2026-12-05T08:00:00Z'), hasBegun: false } },
    'will be deleted on 5 December 2026',
  ],
  ['deletion-scheduled', { deletion: { effectiveAt: NOW, hasBegun: true } }, 'is being deleted'],
  ['no-email', { account: { ...account, email: null } }, 'has no email'],
  ['unverified-email', { account: { ...account, emailVerified: false } }, 'is not confirmed'],
  [
    'managed-account',
    { account: { ...account, managed: true, methods: saml }, organization: 'Acme' },
    'cannot use a password: addresses of acme.test sign in by Acme.',
  ],
  ['managed-account', { account: { ...account, managed: true } }, 'sign in by their organization.'],
  [
    'no-password',
    { account: { ...account, methods: saml } },
    'has no password. "Forgot password" emails its sign-in methods.',
  ],
  ['legacy-account', { account: { ...account, legacy: true } }, 'from the previous system'],
  ['second-factor-on', { secondFactorSince: new Date('2026-02-03') }, 'is on since 3 February 2026'],
  ['factors-locked', { factorsLockedUntil: new Date('2026-11-29T12:11:30Z') }, 'locked for 12 min'],
  ['factor-reset-scheduled', { resetAt: new Date('2026-12-02T12:00:00Z') }, 'turns off on 2 December 2026'],
];

describe('the description for support', () => {
  it('of an account without a special state is empty', () => {
    expect(describeAccountForSupport(plain, NOW)).toEqual([]);
  });

  it.each(CASES)('says %s', (rule, more, text) => {
    const statements = describeAccountForSupport({ ...plain, ...more }, NOW);
    expect(statements).toEqual([{ rule, text: expect.stringContaining(text) as string }]);
  });

  it('says that there is no sign-in method', () => {
    const none = describeAccountForSupport({ ...plain, account: { ...account, methods: [] } }, NOW);
    expect(none.map(({ rule }) => rule)).toEqual(['no-password', 'no-sign-in-method']);
    expect(none[0]?.text).toBe('The account has no password. "Forgot password" sets one.');
    const passkey = describeAccountForSupport({ ...plain, passkeys: 1, account: { ...account, methods: [] } }, NOW);
    expect(passkey.map(({ rule }) => rule)).toEqual(['no-password']);
  });

  it('does not mention a lockout that is over', () => {
    expect(describeAccountForSupport({ ...plain, factorsLockedUntil: NOW }, NOW)).toEqual([]);
  });

  it('has a test of every statement', () => {
    const tested = new Set([...CASES.map(([rule]) => rule), 'no-sign-in-method']);
    expect([...tested].toSorted()).toEqual(STATEMENTS.map(({ name }) => name).toSorted());
  });
});
