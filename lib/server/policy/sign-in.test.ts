// ASVS: 6.3.4, 9.2.1, 10.5.1
// Threats: pre-hijacking, factor-skipped, legacy-bypass
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ROLLOUT_MODES } from '@/lib/shared/config/public-env';
import type { Directory } from './directory';
import type { AccountFacts, AccountMethod } from './account';
import { canSignInWith, getProviderAuthorization } from './provider-authorization';
import { decideSignIn, SIGN_IN_RULES, type SignInDecision, type SignInFacts } from './sign-in';

const NOW = 1_800_000_000;
const EMAIL = 'mia@acme.test';
const directory: Directory = {
  publicMailboxDomains: new Set(),
  enterprises: new Map([
    ['acme.test', { name: 'Acme', provider: 'saml.acme' }],
    ['north.test', { name: 'North', provider: 'saml.north' }],
  ]),
  partners: new Map([
    ['any', { name: 'Any', provider: 'oidc.any', enabled: true }],
    ['own', { name: 'Own', provider: 'oidc.own', enabled: true, emailDomains: ['acme.test'] }],
    ['other', { name: 'Other', provider: 'oidc.other', enabled: true, emailDomains: ['other.test'] }],
    ['closed', { name: 'Closed', provider: 'oidc.closed', enabled: false, emailDomains: ['acme.test'] }],
  ]),
};

/**
 * Every kind of provider, each for EMAIL. The partner without domains also has an email whose domain has no entry.
 * `entered`: may sign users in. `enabled`: enabled at the origin. `authorized`: authorized for the email.
 * `wrongDomain`: configured, but not for the email's domain.
 */
const PROVIDERS = [
  { id: 'password', entered: true, authorized: false, wrongDomain: false },
  { id: 'google.com', entered: true, authorized: false, wrongDomain: false },
  { id: 'password', enabled: false, entered: false, authorized: false, wrongDomain: false },
  { id: 'facebook.com', enabled: false, entered: false, authorized: false, wrongDomain: false },
  { id: 'oidc.linkedin', entered: true, authorized: false, wrongDomain: false },
  { id: 'saml.acme', entered: true, authorized: true, wrongDomain: false },
  { id: 'saml.north', enabled: false, entered: true, authorized: false, wrongDomain: true },
  { id: 'saml.gone', entered: false, authorized: false, wrongDomain: false },
  { id: 'oidc.own', entered: true, authorized: true, wrongDomain: false },
  { id: 'oidc.any', entered: true, authorized: false, wrongDomain: true },
  { id: 'oidc.any', email: 'mia@free.test', entered: true, authorized: false, wrongDomain: false },
  { id: 'oidc.other', entered: true, authorized: false, wrongDomain: true },
  { id: 'oidc.closed', entered: true, authorized: false, wrongDomain: true },
  { id: 'oidc.gone', entered: false, authorized: false, wrongDomain: false },
  { id: 'anonymous', entered: false, authorized: false, wrongDomain: false },
  { id: 'phone', entered: false, authorized: false, wrongDomain: false },
  { id: 'custom', entered: true, authorized: false, wrongDomain: false },
].map((known) => ({ email: EMAIL, enabled: true, ...known }));

type Case = {
  kind: 'id-token' | 'session';
  provider: (typeof PROVIDERS)[number];
  /** How the account lists the provider: with the account's email, with another one, or not at all. */
  listed: 'same' | 'other' | 'none';
  hasPassword: boolean;
  hasEmail: boolean;
  emailVerified: boolean;
  disabled: boolean;
  /** The account has another email than when the token was issued. */
  emailChanged: boolean;
  legacy: boolean;
  rollout: (typeof ROLLOUT_MODES)[number];
  isHandoff: boolean;
  isEnded: boolean;
  /** Time of the proof relative to the latest revocation. */
  proved: 'before' | 'same-second' | 'after';
  /** Time of the renewal relative to the latest revocation. */
  renewed: 'never' | 'before' | 'same-second';
  age: 'young' | 'old' | 'past-session';
  /** `managed`: by an organization that does not allow passkeys. `both`: managed, and the user has used a passkey. */
  passkey: 'none' | 'used' | 'managed' | 'both';
  /** Whether the user has shown the account's second factor. `required`: the account has none but needs it. */
  secondFactor: 'none' | 'missing' | 'remembered' | 'shown' | 'required';
};

const AXES: { [K in keyof Case]: readonly Case[K][] } = {
  kind: ['id-token', 'session'],
  provider: PROVIDERS,
  listed: ['same', 'other', 'none'],
  hasPassword: [true, false],
  hasEmail: [true, false],
  emailVerified: [true, false],
  disabled: [true, false],
  emailChanged: [true, false],
  legacy: [true, false],
  rollout: ROLLOUT_MODES,
  isHandoff: [true, false],
  isEnded: [true, false],
  proved: ['before', 'same-second', 'after'],
  renewed: ['never', 'before', 'same-second'],
  age: ['young', 'old', 'past-session'],
  passkey: ['none', 'used', 'managed', 'both'],
  secondFactor: ['none', 'missing', 'remembered', 'shown', 'required'],
};

const NAMES = Object.keys(AXES) as (keyof Case)[];
/** The axes that `isPossible` reads. */
const BOUND: (keyof Case)[] = [
  'provider',
  'listed',
  'disabled',
  'isHandoff',
  'proved',
  'renewed',
  'passkey',
  'secondFactor',
];

/**
 * Calls `see` with every combination of these axes. It reuses one object, because there are too many combinations for
 * an object each.
 */
function combine(names: (keyof Case)[], picked: Case, see: (given: Case) => void, at = 0): void {
  const name = names[at];
  if (name === undefined) see(picked);
  else
    for (const value of AXES[name]) {
      (picked as Record<keyof Case, unknown>)[name] = value;
      combine(names, picked, see, at + 1);
    }
}

function eachCase(see: (given: Case) => void): void {
  const free = NAMES.filter((name) => !BOUND.includes(name));
  const first = Object.fromEntries(NAMES.map((name) => [name, AXES[name][0]])) as Case;
  combine(BOUND, first, (bound) => {
    if (isPossible(bound)) combine(free, bound, see);
  });
}

/**
 * Excludes impossible combinations. Only custom tokens have our claims and follow a passkey, and a renewal follows its
 * proof. A renewed sign-in and another email of the provider do not affect the second factor, so those combinations are
 * left out.
 */
const isPossible = (given: Case) =>
  (given.secondFactor === 'none' || (given.renewed === 'never' && given.listed !== 'other')) &&
  (given.passkey === 'none' || given.isHandoff) &&
  (!given.isHandoff || given.provider.id === 'custom') &&
  (given.renewed === 'never' || (given.isHandoff && given.proved === 'before'));

/** Decided once for each provider, because there are a million combinations. */
const authorizations = new Map(
  PROVIDERS.map((provider) => {
    const decide = (email: string | null) => getProviderAuthorization(provider.id, email, directory);
    return [provider, { email: decide(provider.email), noEmail: decide(null) }];
  }),
);

const AGES = { young: 60, old: 1_201, 'past-session': 432_001 };
const PROOF_OFFSETS = { before: -10, 'same-second': 0, after: 1 };
/** Seconds after the proof, which is 10 seconds before the revocation. */
const RENEWAL_OFFSETS = { before: 9, 'same-second': 10 };

function toFacts(given: Case): SignInFacts {
  const { kind, provider, listed, hasPassword, isHandoff, isEnded, proved, age, rollout } = given;
  const authenticatedAt = NOW - AGES[age];
  const email = given.hasEmail ? provider.email : null;
  const methods: AccountMethod[] = [];
  if (hasPassword) methods.push({ id: 'password', email });
  if (listed !== 'none' && !['password', 'custom'].includes(provider.id))
    methods.push({ id: provider.id, email: listed === 'same' ? email : 'someone.else@acme.test' });
  const account: AccountFacts = {
    uid: 'uid',
    email,
    emailVerified: given.emailVerified,
    verifiedAtProvider: given.emailVerified,
    hadOtherEmail: false,
    hasProvedEmail: false,
    disabled: given.disabled,
    validSince: authenticatedAt - PROOF_OFFSETS[proved],
    methods,
    legacy: given.legacy,
    hasClaims: given.legacy,
    managed: ['managed', 'both'].includes(given.passkey),
    requiresSso: ['managed', 'both'].includes(given.passkey),
    hasSecondFactor: !['none', 'required'].includes(given.secondFactor),
    twoFactorProviders: [],
    secondFactorRules: [],
    accessLevel: 'standard',
  };
  const authorization = authorizations.get(provider)?.[email === null ? 'noEmail' : 'email'] ?? 'not-listed';
  const evidence = {
    kind,
    provider: provider.id,
    method: ['used', 'both'].includes(given.passkey) ? ('passkey' as const) : null,
    assurance: hasTwo(given) ? (2 as const) : (1 as const),
    isRemembered: given.secondFactor === 'remembered',
    requiresSecondFactor: given.secondFactor === 'required',
    authorization,
    isEnabled: provider.enabled,
    issuedAt: NOW - AGES[age],
    email: given.emailChanged ? 'before@acme.test' : email,
    authenticatedAt,
    renewedAt: given.renewed === 'never' ? null : authenticatedAt + RENEWAL_OFFSETS[given.renewed],
    isHandoff,
    isEnded,
  };
  return { evidence, account, rollout, now: NOW };
}

const hasTwo = ({ passkey, secondFactor }: Case) => ['used', 'both'].includes(passkey) || secondFactor === 'shown';

const isBoundToDomains = ({ id, authorized, wrongDomain }: Case['provider']) =>
  id !== 'oidc.any' && (authorized || wrongDomain);

/**
 * docs/account-policy.md reimplemented as a list of reasons to refuse a sign-in, independent of the rules under test.
 */
/** Without the rule's name, because another order of the rules would give other names for the same answer. */
type Answer = SignInDecision extends infer D ? (D extends { rule: string } ? Omit<D, 'rule'> : D) : never;

function expected(given: Case): Answer {
  const { kind, provider, listed, hasPassword, hasEmail, isHandoff } = given;
  const isToken = kind === 'id-token';
  const isCustom = provider.id === 'custom';
  const isOnAccount = provider.id === 'password' ? hasPassword : listed !== 'none';
  const gate = {
    V3Only: null,
    V3AndV2: null,
    V3FirstLogin: 'legacy-reset-required',
    V2FirstLogin: 'legacy-sign-in-required',
  } as const;
  const gateCode = gate[given.rollout];

  if (given.isEnded) return { outcome: 'refuse', code: isToken ? 'token-revoked' : 'session-required' };
  if (given.disabled) return { outcome: 'refuse', code: 'user-disabled' };
  if (isToken && given.age !== 'young') return { outcome: 'refuse', code: 'token-too-old' };
  if (given.proved === 'before' && given.renewed !== 'same-second') return { outcome: 'refuse', code: 'token-revoked' };
  if (hasEmail && given.emailChanged) return { outcome: 'refuse', code: 'token-revoked' };
  if (isToken && isCustom && !isHandoff) return { outcome: 'refuse', code: 'token-revoked' };
  if (isHandoff && given.age === 'past-session') return { outcome: 'refuse', code: 'token-expired' };
  if (isToken && !provider.entered) return { outcome: 'refuse', code: 'provider-not-allowed' };
  // Without an email, only providers that are bound to domains are outside their domains.
  const isOutside = hasEmail ? provider.wrongDomain : isBoundToDomains(provider);
  if (isToken && isOutside) return { outcome: 'refuse', code: 'invalid-enterprise-domain', unlink: true };
  if (!isCustom && !isOnAccount) return { outcome: 'refuse', code: 'token-revoked' };
  if (given.passkey === 'both') return { outcome: 'refuse', code: isToken ? 'sso-required' : 'token-revoked' };
  if (!hasEmail) return { outcome: 'refuse', code: isToken ? 'email-missing' : 'token-revoked' };
  if (!given.emailVerified && !(provider.authorized && listed === 'same'))
    return isToken ? { outcome: 'step', code: 'email-not-verified' } : { outcome: 'refuse', code: 'token-revoked' };
  if (isToken && given.legacy && hasPassword && !(provider.authorized && listed === 'same') && gateCode !== null)
    return { outcome: 'step', code: gateCode };
  if (!['none', 'remembered'].includes(given.secondFactor) && !hasTwo(given)) {
    const code = given.secondFactor === 'required' ? 'second-factor-setup-required' : 'second-factor-required';
    return isToken ? { outcome: 'step', code } : { outcome: 'refuse', code: 'token-revoked' };
  }
  return { outcome: 'allow', provesMailbox: !given.emailVerified };
}

/** Compares without serializing, because there are a million answers. */
function same(a: SignInDecision, b: Answer): boolean {
  if (a.outcome === 'allow') return b.outcome === 'allow' && a.provesMailbox === b.provesMailbox;
  if (a.outcome !== b.outcome || a.code !== b.code) return false;
  return unlinks(a) === unlinks(b);
}
const unlinks = (one: Answer) => one.outcome === 'refuse' && one.unlink === true;
/** Everything that the tests look for, collected in a single pass over all combinations. */
const found = {
  combinations: 0,
  unlikeDocument: [] as Case[],
  allowed: 0,
  allowedUnverified: [] as Case[],
  outcomesWithoutEmail: new Set<string>(),
  /** Rules that have decided. */
  rules: new Set<string>(),
  /** Rules whose removal changes the answer. */
  neededRules: new Set<string>(),
  young: undefined as Case | undefined,
  handedOn: undefined as Case | undefined,
  ofOrganization: undefined as Case | undefined,
};
eachCase((given) => {
  const { provider, kind, listed, isHandoff, hasEmail, emailVerified } = given;
  const facts = toFacts(given);
  const decision = decideSignIn(facts);
  found.combinations += 1;
  if (!same(decision, expected(given))) found.unlikeDocument.push({ ...given });
  if (!hasEmail) found.outcomesWithoutEmail.add(decision.outcome);
  if (provider.id === 'saml.acme' && listed === 'same') found.ofOrganization ??= { ...given };
  if (decision.outcome === 'allow') {
    found.allowed += 1;
    const isVerified = hasEmail && (emailVerified || (provider.authorized && listed === 'same'));
    if (!isVerified) found.allowedUnverified.push({ ...given });
    if (provider.id === 'password' && kind === 'id-token') found.young ??= { ...given };
    if (isHandoff && kind === 'session') found.handedOn ??= { ...given };
  } else {
    found.rules.add(decision.rule);
    if (found.neededRules.has(decision.rule)) return;
    // The first applicable rule decides. Without any other rule, the answer is the same.
    const others = SIGN_IN_RULES.filter(({ name }) => name !== decision.rule);
    if (!same(decideSignIn(facts, others), decision)) found.neededRules.add(decision.rule);
  }
});

describe('the sign-in policy', () => {
  test('matches the documented rules for every combination', () => {
    expect(found.combinations).toBeGreaterThan(100_000);
    expect(found.unlikeDocument.slice(0, 3)).toEqual([]);
  });

  test('never allows sign-in without a verified mailbox, with any provider', () => {
    expect(found.allowed).toBeGreaterThan(0);
    expect(found.allowedUnverified.slice(0, 3)).toEqual([]);
  });

  test.each([
    [found.young, { issuedAt: NOW - 1_200 }, 'allow'],
    [found.young, { issuedAt: NOW - 1_201 }, 'refuse'],
    [found.handedOn, { authenticatedAt: NOW - 432_000 }, 'allow'],
    [found.handedOn, { authenticatedAt: NOW - 432_001 }, 'refuse'],
  ])('a time limit includes its last second (%#)', (given, times, outcome) => {
    if (!given) throw new Error('No such combination');
    const facts = toFacts(given);
    const account = { ...facts.account, validSince: 0 };
    expect(decideSignIn({ ...facts, account, evidence: { ...facts.evidence, ...times } }).outcome).toBe(outcome);
  });

  test('does not authorize an organization for an account without an email', () => {
    const given = found.ofOrganization;
    if (!given) throw new Error('No such combination');
    const facts = toFacts({ ...given, emailVerified: false });
    const account = { ...facts.account, email: null, methods: [{ id: 'saml.acme', email: null }] };
    expect(decideSignIn({ ...facts, account }).outcome).not.toBe('allow');
  });

  test('does not require email verification of an account without an email', () => {
    expect(found.outcomesWithoutEmail).toEqual(new Set(['refuse']));
  });

  test.each(SIGN_IN_RULES.map(({ name }) => name))('has a case that only the rule %s refuses', (name) => {
    expect(found.neededRules.has(name)).toBe(true);
  });

  test('names the rule of each refusal and step', () => {
    expect(found.rules).toEqual(new Set(SIGN_IN_RULES.map(({ name }) => name)));
  });

  test('has the rules of docs/account-policy.md, in order', () => {
    const documented = readFileSync('docs/account-policy.md', 'utf8').matchAll(/^\| \d+ \| `([\w-]+)` \|/gm);
    expect([...documented].map(([, name]) => name)).toEqual(SIGN_IN_RULES.map(({ name }) => name));
  });
});

describe('provider authorization for an email address', () => {
  test.each(PROVIDERS.filter(({ id }) => id !== 'password' && id !== 'custom'))(
    '$id for $email',
    ({ id, email, ...known }) => {
      const authorization = getProviderAuthorization(id, email, directory);
      expect(authorization !== 'not-listed').toBe(known.entered || !known.enabled);
      expect(authorization === 'own-domain').toBe(known.authorized);
      expect(authorization === 'outside-domains').toBe(known.wrongDomain);
    },
  );

  test('decides with which methods of an account its owner can sign in', () => {
    const allButFacebook = new Set(['password', 'google.com', 'linkedin.com', 'enterprise']);
    for (const { id, email, entered, enabled: isEnabled, wrongDomain } of PROVIDERS)
      for (const enabled of [allButFacebook, null]) {
        const isAtOrigin = enabled === null || id !== 'facebook.com';
        expect(canSignInWith(id, email, directory, enabled), id).toBe(
          (entered || !isEnabled) && isAtOrigin && !wrongDomain,
        );
      }
    expect(canSignInWith('password', EMAIL, directory, new Set(['enterprise']))).toBe(false);
    expect(canSignInWith('saml.acme', EMAIL, null, allButFacebook)).toBe(false);
  });

  test('is none if no domains are listed', () => {
    expect(getProviderAuthorization('oidc.any', 'mia@free.test', directory)).toBe('any-domain');
    expect(getProviderAuthorization('oidc.any', null, directory)).toBe('any-domain');
    expect(getProviderAuthorization('phone', null, directory)).toBe('not-listed');
  });

  test('is none, for a provider without domains, if the domain is listed for another provider', () => {
    const partners = new Map([
      ...directory.partners,
      ['shut', { name: 'Shut', provider: 'oidc.shut', enabled: false, emailDomains: ['shut.test'] }] as const,
    ]);
    for (const domain of ['acme.test', 'north.test', 'other.test', 'OTHER.test', 'shut.test'])
      expect(getProviderAuthorization('oidc.any', `mia@${domain}`, { ...directory, partners })).toBe('outside-domains');
    for (const domain of ['sub.acme.test', 'evilacme.test'])
      expect(getProviderAuthorization('oidc.any', `mia@${domain}`, { ...directory, partners })).toBe('any-domain');
  });

  test('is none before the first valid load of the directory', () => {
    expect(getProviderAuthorization('saml.acme', EMAIL, null)).toBe('not-listed');
    expect(getProviderAuthorization('oidc.any', EMAIL, null)).toBe('not-listed');
    expect(getProviderAuthorization('google.com', EMAIL, null)).toBe('social');
  });

  test('compares the exact domain, ignoring case', () => {
    expect(getProviderAuthorization('saml.acme', 'Mia@ACME.test', directory)).toBe('own-domain');
    for (const email of ['mia@sub.acme.test', 'mia@acme.test.evil.example', 'mia@evilacme.test', null])
      expect(getProviderAuthorization('saml.acme', email, directory)).toBe('outside-domains');
  });
});
