// Threats: pre-hijacking
import { describe, expect, test } from 'vitest';
import type { AccountFacts } from './account';
import { decideEmailedAccess, decideMailboxProof, isAbandoned, type MailboxProof } from './mailbox';

const METHODS = ['password', 'google.com', 'saml.acme', 'phone'] as const;
const subsets = <T>(items: readonly T[]): T[][] =>
  items.reduce<T[][]>((all, item) => [...all, ...all.map((set) => [...set, item])], [[]]);
const product = <A, B>(left: readonly A[], right: readonly B[]): [A, B][] =>
  left.flatMap((a) => right.map((b): [A, B] => [a, b]));

function account(facts: Partial<AccountFacts>, ids: readonly string[]): AccountFacts {
  const methods = ids.map((id) => ({ id, email: 'mia@acme.test' }));
  const base = {
    uid: 'u',
    email: 'mia@acme.test',
    emailVerified: false,
    verifiedAtProvider: false,
    hadOtherEmail: false,
    hasProvedEmail: false,
    disabled: false,
    validSince: 0,
    legacy: false,
  };
  return {
    ...base,
    hasClaims: false,
    managed: false,
    requiresSso: false,
    hasSecondFactor: false,
    twoFactorProviders: [],
    secondFactorRules: [],
    accessLevel: 'standard',
    ...facts,
    methods,
  };
}

const KINDS = [
  'code',
  'confirmation-link',
  'reset-code',
  'reset-link',
  'sign-in-code',
  'sign-in-link',
  'organization',
] as const;
const proofs: MailboxProof[] = KINDS.flatMap((by) =>
  (['requesting', 'other'] as const).flatMap((browser) =>
    [null, ...METHODS].flatMap((presentedMethod) =>
      [true, false].map((setsPassword) => ({ by, browser, presentedMethod, setsPassword })),
    ),
  ),
);
const all = product(subsets(METHODS), proofs);

/** The method a proof brings, as specified in docs/account-policy.md. */
function presentedBy({ by, browser, presentedMethod, setsPassword }: MailboxProof): string[] {
  if (setsPassword) return ['password'];
  if (by === 'organization' || browser === 'requesting') return presentedMethod === null ? [] : [presentedMethod];
  return [];
}

describe('a proof of the mailbox of an unverified account', () => {
  test.each(KINDS)('by %s matches the documented rules for every combination', (by) => {
    for (const [ids, proof] of all.filter(([, { by: kind }]) => kind === by)) {
      const decision = decideMailboxProof(account({}, ids), proof);
      if (proof.by === 'confirmation-link' && proof.browser === 'other' && !proof.setsPassword) {
        expect(decision).toEqual({ outcome: 'new-password-required' });
        continue;
      }
      const presented = presentedBy(proof);
      const removed = ids.filter((id) => !presented.includes(id));
      expect(decision).toEqual({
        outcome: 'accept',
        keep: proof.setsPassword ? ['password'] : ids.filter((id) => presented.includes(id)),
        remove: removed,
        clearProfile: proof.by !== 'organization' && (proof.browser === 'other' || proof.presentedMethod === null),
        verify: true,
        revoke: true,
        notice: proof.setsPassword ? 'password-changed' : removed.length > 0 ? 'methods-removed' : null,
      });
    }
  });
});

test('an account that has proved this email before keeps the identities of it, over every combination', () => {
  for (const [ids, proof] of all)
    for (const email of ['mia@acme.test', 'mallory@mallory.test', null]) {
      const facts = account({ hasProvedEmail: true }, ids);
      const methods = facts.methods.map((method) => ({ ...method, email }));
      const decision = decideMailboxProof({ ...facts, methods }, proof);
      if (decision.outcome !== 'accept') continue;
      const brought = presentedBy(proof);
      const isKept = (id: string) => brought.includes(id) || (id !== 'password' && email === 'mia@acme.test');
      expect(decision.remove).toEqual(ids.filter((id) => !isKept(id)));
      const kept = ids.filter(isKept);
      expect(decision.keep).toEqual(proof.setsPassword ? [...new Set([...kept, 'password'])] : kept);
    }
});

test('a proof keeps a method only with the identity that was shown, where that is known', () => {
  for (const [ids, proof] of all.filter(([, { setsPassword }]) => !setsPassword)) {
    const { methods, ...facts } = account({}, ids);
    const own = { ...facts, methods: methods.map((method) => ({ ...method, subject: 'own' })) };
    const byId = decideMailboxProof(own, proof);
    expect(decideMailboxProof(own, { ...proof, presentedSubject: 'own' })).toEqual(byId);
    const other = decideMailboxProof(own, { ...proof, presentedSubject: 'another' });
    expect(other).toMatchObject(byId.outcome === 'accept' ? { keep: [], remove: ids, verify: true } : byId);
  }
});

describe('a proof of the mailbox of a verified account', () => {
  test.each(KINDS)('by %s matches the documented rules for every combination', (by) => {
    for (const [ids, proof] of all.filter(([, { by: kind }]) => kind === by))
      expect(decideMailboxProof(account({ emailVerified: true }, ids), proof)).toEqual({
        outcome: 'accept',
        keep: proof.setsPassword && !ids.includes('password') ? [...ids, 'password'] : ids,
        remove: [],
        clearProfile: false,
        verify: false,
        revoke: proof.setsPassword,
        notice: proof.setsPassword ? 'password-changed' : null,
      });
  });
});

test('a proof of the mailbox of a disabled account is refused, over every combination', () => {
  for (const [ids, proof] of all)
    for (const emailVerified of [true, false])
      expect(decideMailboxProof(account({ emailVerified, disabled: true }, ids), proof)).toEqual({
        outcome: 'refuse',
        code: ['code', 'reset-code', 'sign-in-code'].includes(proof.by) ? 'code-expired' : 'action-code-invalid',
        rule: 'disabled-account',
      });
});

describe('what email may do for an account', () => {
  const flags = [true, false] as const;
  const combinations = flags.flatMap((emailVerified) =>
    flags.flatMap((disabled) =>
      flags.flatMap((managed) =>
        subsets([...METHODS, 'oidc.linkedin']).map((ids) => ({ emailVerified, disabled, managed, ids })),
      ),
    ),
  );
  test('matches the documented rules for every combination', () => {
    for (const { ids, ...facts } of combinations) {
      const { password, signIn } = decideEmailedAccess(account(facts, ids));
      const organizationOnly = ids.length > 0 && ids.every((id) => id === 'saml.acme');
      const opensByPassword = ids.length === 0 || ids.includes('password');
      const isOpen = !facts.disabled && !facts.managed;
      expect(signIn).toBe(isOpen && (!facts.emailVerified || !organizationOnly));
      expect(password).toBe(isOpen && (!facts.emailVerified || opensByPassword));
    }
  });
});

describe('an abandoned account', () => {
  const flags = [true, false] as const;
  const combinations = flags.flatMap((verifiedAtProvider) =>
    flags.flatMap((disabled) =>
      flags.flatMap((hasClaims) => subsets(METHODS).map((ids) => ({ verifiedAtProvider, disabled, hasClaims, ids }))),
    ),
  );
  test('was never used, for every combination', () => {
    for (const { ids, ...facts } of combinations) {
      const touched =
        facts.verifiedAtProvider || facts.disabled || facts.hasClaims || ids.some((id) => id !== 'password');
      expect(isAbandoned(account(facts, ids))).toBe(!touched);
    }
  });
});
