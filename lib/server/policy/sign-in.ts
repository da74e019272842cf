import type { Refused } from './refusal';
import { METHOD_NOT_ENABLED } from './origin-methods';
import { LEGACY_GATE, hasMethod, type AccountFacts } from './account';
import { PASSKEY_METHOD, toOwnMethod, type TokenMethod } from '@/lib/shared/sign-in-methods';
import type { ProblemCode } from '@/lib/shared/problem';
import type { RolloutMode } from '@/lib/shared/config/public-env';
import { SESSION } from '@/lib/shared/session-contract';
import type { ProviderAuthorization } from './provider-authorization';
import type { Factor } from './second-factor';

/**
 * Decides who may be signed in to an account. This pure decision is used wherever a token or session is validated:
 * creating or checking a session, minting a token from a session, emailing a code. docs/account-policy.md documents it
 * as a table.
 */

/** What a verified token or session cookie proves. Times are in seconds since 1970. */
export type SignInEvidence = {
  /** `id-token`: evidence that requests a session. `session`: evidence of an existing session. */
  kind: 'id-token' | 'session';
  /** `sign_in_provider` of the token. */
  provider: string;
  /** How the user authenticated to our server, for methods that the identity provider does not know. */
  method: TokenMethod | null;
  /**
   * How many factors the user has shown. 2 with a passkey, a second factor, or an organization's sign-in that counts as
   * two.
   */
  assurance: 1 | 2;
  /** Whether the user showed a single factor in a browser that showed the second factor before and is remembered. */
  isRemembered: boolean;
  /**
   * Whether two factors are required, even if the account has no second factor. A rule (second-factor.ts) or the
   * platform requires them for this sign-in.
   */
  requiresSecondFactor: boolean;
  /** `email` of the token in lower case: the account's email when the token was issued. Null if it had none. */
  email: string | null;
  authorization: ProviderAuthorization;
  /** For a token: whether its origin enables the method (origin-methods.ts). */
  isEnabled: boolean;
  issuedAt: number;
  /**
   * When the user last authenticated. For a custom token, the time of the proof that it was minted from, not of its
   * exchange.
   */
  authenticatedAt: number;
  /** When this app renewed the sign-in after a change that revoked all others. Null if it never did. */
  renewedAt: number | null;
  /** Whether this app minted the custom token. False for other custom tokens and all other tokens. */
  isHandoff: boolean;
  /** Whether the session, or the session that a custom token was minted from, was signed out. */
  isEnded: boolean;
};

export type SignInFacts = { evidence: SignInEvidence; account: AccountFacts; rollout: RolloutMode; now: number };

export type SignInDecision =
  /** `provesMailbox`: the organization is authorized for an email that was unverified before (mailbox.ts). */
  | { outcome: 'allow'; provesMailbox: boolean }
  /** `unlink`: the provider is not authorized for the account and is unlinked. */
  | (Refusal & { rule: string })
  /** The step the user must complete before a session is created. */
  | (Step & { rule: string });
type Refusal = { outcome: 'refuse'; code: ProblemCode; unlink?: true };
type Step = { outcome: 'step'; code: ProblemCode };

/** `name`: identifies the rule in decisions, in the log and in the counter of refusals. */
export type SignInRule = {
  name: string;
  applies: (facts: SignInFacts) => boolean;
  decide: (facts: SignInFacts) => Refusal | Step;
};

const refuse = (code: ProblemCode) => (): Refusal => ({ outcome: 'refuse', code });
const isToken = ({ evidence }: SignInFacts) => evidence.kind === 'id-token';
const byKind =
  (decide: { token: SignInRule['decide']; session: SignInRule['decide'] }) =>
  (facts: SignInFacts): Refusal | Step =>
    (isToken(facts) ? decide.token : decide.session)(facts);

/** Evaluated in order. The first rule that applies decides. If none applies, the sign-in is allowed. */
export const SIGN_IN_RULES: readonly SignInRule[] = [
  {
    name: 'ended-session',
    applies: ({ evidence }) => evidence.isEnded,
    decide: byKind({ token: refuse('token-revoked'), session: refuse('session-required') }),
  },
  {
    name: 'disabled-account',
    applies: ({ account }) => account.disabled,
    decide: refuse('user-disabled'),
  },
  {
    // docs/product.md#constants: an ID token older than 1200 seconds cannot create a session.
    name: 'old-token',
    applies: (facts) => isToken(facts) && facts.now - facts.evidence.issuedAt > SESSION.maxTokenAge,
    decide: refuse('token-too-old'),
  },
  {
    name: 'revoked-since-proof',
    applies: ({ evidence, account }) => (evidence.renewedAt ?? evidence.authenticatedAt) < account.validSince,
    decide: refuse('token-revoked'),
  },
  {
    // Another user than the token's may have proved the mailbox of the current email.
    name: 'email-changed-since-sign-in',
    applies: ({ evidence, account }) =>
      evidence.email !== null && account.email !== null && evidence.email !== account.email,
    decide: refuse('token-revoked'),
  },
  {
    // `auth_time` of a custom token is the time of its exchange. Without our claims, it proves nothing (docs/adr/0012).
    name: 'custom-token-of-unknown-origin',
    applies: (facts) => isToken(facts) && facts.evidence.provider === 'custom' && !facts.evidence.isHandoff,
    decide: refuse('token-revoked'),
  },
  {
    // A token derived from a session must not outlive it, no matter how often the identity provider refreshes it.
    name: 'custom-token-past-its-session',
    applies: (facts) => facts.evidence.isHandoff && facts.now - facts.evidence.authenticatedAt > SESSION.length,
    decide: refuse('token-expired'),
  },
  {
    name: 'provider-not-listed',
    applies: (facts) => isToken(facts) && facts.evidence.authorization === 'not-listed',
    decide: refuse('provider-not-allowed'),
  },
  {
    name: 'provider-outside-its-domains',
    applies: (facts) => isToken(facts) && facts.evidence.authorization === 'outside-domains',
    decide: () => ({ outcome: 'refuse', code: 'invalid-enterprise-domain', unlink: true }),
  },
  {
    // Comes after `provider-outside-its-domains`, because an origin must not prevent that rule's repair.
    name: METHOD_NOT_ENABLED.rule,
    applies: (facts) => isToken(facts) && !facts.evidence.isEnabled,
    decide: refuse(METHOD_NOT_ENABLED.code),
  },
  {
    // Custom tokens are not a method. They are minted for a session, an emailed link or a code.
    name: 'method-no-longer-on-the-account',
    applies: ({ evidence, account }) => evidence.provider !== 'custom' && !hasMethod(account, evidence.provider),
    decide: refuse('token-revoked'),
  },
  {
    // The organization controls access, also after a user has left. Only its own sign-in shows that the user is still a
    // member.
    name: 'passkey-of-an-organization',
    applies: ({ evidence, account }) => toOwnMethod(evidence.method) === PASSKEY_METHOD && account.requiresSso,
    decide: byKind({ token: refuse('sso-required'), session: refuse('token-revoked') }),
  },
  {
    // Must precede `unverified-email`, whose step cannot be completed without an email to confirm.
    name: 'no-email',
    applies: ({ account }) => account.email === null,
    decide: byKind({ token: refuse('email-missing'), session: refuse('token-revoked') }),
  },
  {
    name: 'unverified-email',
    applies: ({ account, evidence }) => !account.emailVerified && !isOrganizationAuthorized(account, evidence),
    decide: byKind({
      token: () => ({ outcome: 'step', code: 'email-not-verified' }),
      session: refuse('token-revoked'),
    }),
  },
  {
    // Depends on the account, not on the method of the sign-in. An old password does not matter for an account without
    // a password, or for its organization's own provider.
    name: 'legacy-account',
    applies: (facts) => isToken(facts) && getLegacyGate(facts) !== null,
    decide: (facts) => ({ outcome: 'step', code: getLegacyGate(facts) ?? 'legacy-reset-required' }),
  },
  {
    // Must come last. The steps before it require only the first factor, and each leads to this rule again.
    name: 'second-factor-missing',
    applies: (facts) => getSecondFactorStep(facts.account, facts.evidence) !== null,
    decide: ({ account, evidence }) =>
      evidence.kind === 'session'
        ? { outcome: 'refuse', code: 'token-revoked' }
        : { outcome: 'step', code: getSecondFactorStep(account, evidence) ?? 'second-factor-required' },
  },
];

type TwoFactorProviders = Pick<AccountFacts, 'twoFactorProviders'>;

/** Returns how many factors the user of a sign-in has shown (docs/account-policy.md#second-factor). */
export function getAssurance(
  { twoFactorProviders }: TwoFactorProviders,
  { provider, method, factor }: Pick<SignInEvidence, 'provider' | 'method'> & { factor: Factor | null },
): 1 | 2 {
  // The authenticator has verified the user, so the passkey is possession plus knowledge or a biometric.
  // `passkey-unverified` counts as a single factor.
  if (method === PASSKEY_METHOD || factor === 'totp' || factor === 'recovery-code') return 2;
  // An organization's factor counts only while the organization keeps its setting, and the account has its identity.
  if (factor === 'organization') return twoFactorProviders.length > 0 ? 2 : 1;
  return twoFactorProviders.includes(provider) ? 2 : 1;
}

/** Returns the second factor of a sign-in, for a token that is not bound to a provider. */
export function getShownFactor(
  { twoFactorProviders }: TwoFactorProviders,
  { provider, factor }: Pick<SignInEvidence, 'provider'> & { factor: Factor | null },
): Factor | null {
  return factor ?? (twoFactorProviders.includes(provider) ? 'organization' : null);
}

/** Returns the step that adds the second factor to a sign-in, or null if none is needed. */
export function getSecondFactorStep(
  { hasSecondFactor }: Pick<AccountFacts, 'hasSecondFactor'>,
  {
    assurance,
    isRemembered,
    requiresSecondFactor,
  }: Pick<SignInEvidence, 'assurance' | 'isRemembered' | 'requiresSecondFactor'>,
): SecondFactorStep | null {
  if (assurance === 2) return null;
  if (hasSecondFactor) return isRemembered ? null : 'second-factor-required';
  return requiresSecondFactor ? 'second-factor-setup-required' : null;
}

/** `second-factor-setup-required`: the account has no second factor yet. */
export type SecondFactorStep = Extract<ProblemCode, 'second-factor-required' | 'second-factor-setup-required'>;

export function isSecondFactorStep(code: ProblemCode): code is SecondFactorStep {
  return code === 'second-factor-required' || code === 'second-factor-setup-required';
}

/**
 * Decides whether a token may create a session, or a session may continue (docs/account-policy.md#sign-in).
 * @param rules all rules by default; a test removes single rules to show what each does
 */
export function decideSignIn(facts: SignInFacts, rules: readonly SignInRule[] = SIGN_IN_RULES): SignInDecision {
  const rule = rules.find(({ applies }) => applies(facts));
  if (rule) return { ...rule.decide(facts), rule: rule.name };
  return { outcome: 'allow', provesMailbox: !facts.account.emailVerified };
}

/**
 * Whether an organization's own provider is authorized for its domain and for the user that it named. The account's
 * creator may have linked an identity with another email.
 */
function isOrganizationAuthorized(
  { email, methods }: AccountFacts,
  { provider, authorization }: SignInEvidence,
): boolean {
  if (authorization !== 'own-domain' || email === null) return false;
  return methods.some((method) => method.id === provider && method.email === email);
}

function getLegacyGate({ account, evidence, rollout }: SignInFacts): ProblemCode | null {
  const hasOldPassword = account.legacy && hasMethod(account, 'password');
  return hasOldPassword && !isOrganizationAuthorized(account, evidence) ? LEGACY_GATE[rollout] : null;
}

/**
 * Decides whether an accepted sign-in opens a session, continues the browser's session, or does neither
 * (docs/adr/0027).
 */
export type OpeningFacts = {
  /**
   * The evidence of the sign-in:
   * - `fresh-proof`: the user has authenticated within 5 minutes (`isFreshSignIn`).
   * - `old-proof`: an ID token of an older sign-in, from this browser's SDK or from a custom token.
   * - `cookie`: the session's own cookie without a token. It renews the session, adds a second factor that the user has
   *   just shown, or changes the account.
   * - `replacement`: our server has revoked all sessions of the account for a user who gave a proof.
   */
  evidence: 'fresh-proof' | 'old-proof' | 'cookie' | 'replacement';
  /**
   * State of the session in the browser's cookie. `none`: no cookie, another account's cookie, or a session without a
   * record.
   */
  session: 'none' | 'live' | 'ended';
  /** Whether the browser has the device secret of a live session. */
  device: 'same' | 'other';
  /** Whether the token comes from the same proof as the session. */
  isSameProof: boolean;
  /** Whether the owner ended a session of the same proof, from another session. */
  isProofEnded: boolean;
};

export type OpeningDecision =
  /** `open`: a sign-in creates a new session. */
  { outcome: 'open' | 'continue' } | ({ outcome: 'refuse' } & Refused);

const refuseToOpen = (code: ProblemCode, rule: string): OpeningDecision => ({ outcome: 'refuse', code, rule });
const refuseOtherBrowser = () => refuseToOpen('recent-login-required', 'other-browser');

export function decideOpening(facts: OpeningFacts): OpeningDecision {
  return BY_EVIDENCE[facts.evidence](facts);
}

const BY_EVIDENCE: Record<OpeningFacts['evidence'], typeof decideOpening> = {
  replacement: decideOnReplacement,
  'fresh-proof': decideOnFreshProof,
  'old-proof': decideOnOldProof,
  cookie: decideOnCookie,
};

function decideOnFreshProof({ session, device, isSameProof, isProofEnded }: OpeningFacts): OpeningDecision {
  // The browser's session is live, so the ended session is another session whose proofs include this time.
  if (isSameProof && session === 'live' && device !== 'other') return { outcome: 'continue' };
  // For 5 minutes, the SDK of a browser that was remotely signed out still has tokens of a fresh proof.
  if (isProofEnded) return refuseToOpen('recent-login-required', 'proof-of-ended-session');
  return { outcome: 'open' };
}

/** A browser's refresh token outlives its session, so it must not open a session alone. */
function decideOnOldProof({ session, device }: OpeningFacts): OpeningDecision {
  if (session !== 'live') return refuseToOpen('recent-login-required', 'old-proof');
  return device === 'other' ? refuseOtherBrowser() : { outcome: 'continue' };
}

/**
 * A copied session cookie is useless in another browser, whatever proof is shown there. `none`: its session has no
 * record, or its account is deleted.
 */
function decideOnCookie({ session, device }: OpeningFacts): OpeningDecision {
  if (session !== 'live') return refuseToOpen('session-required', 'ended-session');
  return device === 'same' ? { outcome: 'continue' } : refuseOtherBrowser();
}

/** The session has ended, so its browser is unknown now. `requireOwnBrowser` has checked the browser before. */
function decideOnReplacement({ session, device }: OpeningFacts): OpeningDecision {
  return session === 'live' && device === 'other' ? refuseOtherBrowser() : { outcome: 'open' };
}
