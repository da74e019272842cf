import type { Refused } from './refusal';
import { LEGACY_GATE, hasMethod, type AccountFacts } from './account';
import { PASSKEY_METHOD, toOwnMethod, type TokenMethod } from '@/lib/shared/sign-in-methods';
import type { ProblemCode } from '@/lib/shared/problem';
import type { RolloutMode } from '@/lib/shared/config/public-env';
import { SESSION } from '@/lib/shared/session-contract';
import type { ProviderAuthorization } from './provider-authorization';
import type { Factor } from './second-factor';

/**
 * Decides who may be signed in to an account. One pure decision, used wherever a token or session is validated:
 * creating a session, checking one, minting a token from one, emailing a code. docs/account-policy.md documents it as a
 * table.
 */

/** What a verified token or session cookie proves. Times in seconds since 1970. */
export type SignInEvidence = {
  /** `id-token` requests a session, `session` is one. */
  kind: 'id-token' | 'session';
  /** `sign_in_provider` of the token. */
  provider: string;
  /** How the user authenticated to our server, when the identity provider does not know it. */
  method: TokenMethod | null;
  /** How many factors the user has shown: 2 with a passkey, a second factor, or where the organization's sign-in counts as two. */
  assurance: 1 | 2;
  /** One factor, in a browser that has shown the second one before and is remembered. */
  isRemembered: boolean;
  /** Two factors are required, also of an account without a second factor: by a rule (second-factor.ts), or by the platform for this sign-in. */
  requiresSecondFactor: boolean;
  /** `email` of the token in lower case: of the account when the token was issued; null if it had none. */
  email: string | null;
  authorization: ProviderAuthorization;
  issuedAt: number;
  /** When the user last authenticated; for a custom token the proof it was minted from, never its exchange. */
  authenticatedAt: number;
  /** When this app renewed the sign-in after a change that revoked all others; null if it never did. */
  renewedAt: number | null;
  /** A custom token minted by this app; false for custom tokens of unknown origin and for all other tokens. */
  isHandoff: boolean;
  /** The session itself, or the one a custom token was minted from, was signed out. */
  isEnded: boolean;
};

export type SignInFacts = { evidence: SignInEvidence; account: AccountFacts; rollout: RolloutMode; now: number };

export type SignInDecision =
  /** `provesMailbox`: the organization is authorized for an email that was not verified before (mailbox.ts). */
  | { outcome: 'allow'; provesMailbox: boolean }
  /** `unlink`: the provider is not authorized for the account and is unlinked. */
  | (Refusal & { rule: string })
  /** The step the user must complete before a session is created. */
  | (Step & { rule: string });
type Refusal = { outcome: 'refuse'; code: ProblemCode; unlink?: true };
type Step = { outcome: 'step'; code: ProblemCode };

/** `name`: in decisions, the log and the counter of refusals. */
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

/** Evaluated in order: the first rule that applies decides. If none applies, sign-in is allowed. */
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
    // docs/product.md#constants: an ID token older than 1200 s cannot create a session.
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
    // The mailbox of the present email may have been proved by someone else than the user of the token.
    name: 'email-changed-since-sign-in',
    applies: ({ evidence, account }) =>
      evidence.email !== null && account.email !== null && evidence.email !== account.email,
    decide: refuse('token-revoked'),
  },
  {
    // `auth_time` of a custom token is the time of its exchange: without our claims it proves nothing (docs/adr/0012).
    name: 'custom-token-of-unknown-origin',
    applies: (facts) => isToken(facts) && facts.evidence.provider === 'custom' && !facts.evidence.isHandoff,
    decide: refuse('token-revoked'),
  },
  {
    // A token derived from a session must not outlive it, however often the identity provider refreshes it.
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
    // Custom tokens are no method: they are minted for a session, an emailed link or a code.
    name: 'method-no-longer-on-the-account',
    applies: ({ evidence, account }) => evidence.provider !== 'custom' && !hasMethod(account, evidence.provider),
    decide: refuse('token-revoked'),
  },
  {
    // The organization controls access, also after a user has left: only its own sign-in shows that they have not.
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
    // Depends on the account, not on the method used. A password of the previous system is irrelevant for an account
    // without a password and for its organization's own provider.
    name: 'legacy-account',
    applies: (facts) => isToken(facts) && getLegacyGate(facts) !== null,
    decide: (facts) => ({ outcome: 'step', code: getLegacyGate(facts) ?? 'legacy-reset-required' }),
  },
  {
    // Last: the steps before it take the first factor alone, and each leads here again.
    name: 'second-factor-missing',
    applies: (facts) => getSecondFactorStep(facts.account, facts.evidence) !== null,
    decide: ({ account, evidence }) =>
      evidence.kind === 'session'
        ? { outcome: 'refuse', code: 'token-revoked' }
        : { outcome: 'step', code: getSecondFactorStep(account, evidence) ?? 'second-factor-required' },
  },
];

type TwoFactorProviders = Pick<AccountFacts, 'twoFactorProviders'>;

/** How many factors the user of a sign-in has shown (docs/account-policy.md#second-factor). */
export function getAssurance(
  { twoFactorProviders }: TwoFactorProviders,
  { provider, method, factor }: Pick<SignInEvidence, 'provider' | 'method'> & { factor: Factor | null },
): 1 | 2 {
  // The authenticator of a passkey has verified the user: possession and knowledge, or possession and a biometric. `passkey-unverified`: one.
  if (method === PASSKEY_METHOD || factor === 'totp' || factor === 'recovery-code') return 2;
  // What a token says of an organization holds only while the organization does: its setting, and its identity on the account.
  if (factor === 'organization') return twoFactorProviders.length > 0 ? 2 : 1;
  return twoFactorProviders.includes(provider) ? 2 : 1;
}

/** What the user of a sign-in has shown besides the first factor, for a token that is of no provider. */
export function getShownFactor(
  { twoFactorProviders }: TwoFactorProviders,
  { provider, factor }: Pick<SignInEvidence, 'provider'> & { factor: Factor | null },
): Factor | null {
  return factor ?? (twoFactorProviders.includes(provider) ? 'organization' : null);
}

/** The step by which a sign-in becomes one of two factors; null when it needs none. */
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

/** `second-factor-setup-required`: the account has none yet. */
export type SecondFactorStep = Extract<ProblemCode, 'second-factor-required' | 'second-factor-setup-required'>;

export function isSecondFactorStep(code: ProblemCode): code is SecondFactorStep {
  return code === 'second-factor-required' || code === 'second-factor-setup-required';
}

/**
 * Decides whether a token may create a session, or a session may continue (docs/account-policy.md#sign-in).
 * @param rules all rules by default; a test removes single rules to show what each is for
 */
export function decideSignIn(facts: SignInFacts, rules: readonly SignInRule[] = SIGN_IN_RULES): SignInDecision {
  const rule = rules.find(({ applies }) => applies(facts));
  if (rule) return { ...rule.decide(facts), rule: rule.name };
  return { outcome: 'allow', provesMailbox: !facts.account.emailVerified };
}

/**
 * An organization's own provider is authorized only for its own domains and for the user it named: the account's
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
 * Decides whether a sign-in that is accepted opens a session, continues the browser's present one, or
 * neither (docs/adr/0027).
 */
export type OpeningFacts = {
  /**
   * `fresh-proof`: the user has authenticated within 5 minutes (`isFreshSignIn`). `old-proof`: an ID token of an older sign-in, from this browser's
   * SDK or from a custom token. `renewal`: no token, the session's own cookie. `replacement`: our server has revoked all
   * sessions of the account for a user who gave a proof. `step-up`: the user of the session's cookie has just shown the second factor.
   * `own-browser`: nothing is opened; a change of the account, and what leads to one, is made in the session's own browser alone.
   */
  evidence: 'fresh-proof' | 'old-proof' | 'renewal' | 'replacement' | 'step-up' | 'own-browser';
  records: 'none' | 'here' | 'away';
  /**
   * The session of the browser's cookie. `none`: no cookie, or not of this account; `unrecorded`: genuine and not ended, but
   * opened before there were records, or while the database was away. While there are no records to ask, never `live`.
   */
  session: 'none' | 'live' | 'ended' | 'unrecorded';
  /** Whether the browser has the secret of the device of a live session. */
  device: 'same' | 'other';
  /** The token is of the same proof as the session. */
  isSameProof: boolean;
  /** The owner ended, from another session, a session of the same proof. */
  isProofEnded: boolean;
};

export type OpeningDecision =
  /** `open`: a sign-in; `adopt`: the browser's session gets its record; `unrecorded`: a cookie without a record. */
  { outcome: 'open' | 'continue' | 'adopt' | 'unrecorded' } | ({ outcome: 'refuse' } & Refused);

const refuseToOpen = (code: ProblemCode, rule: string): OpeningDecision => ({ outcome: 'refuse', code, rule });
const refuseOtherBrowser = () => refuseToOpen('recent-login-required', 'other-browser');

export function decideOpening(facts: OpeningFacts): OpeningDecision {
  const isOfCookie = facts.evidence === 'renewal' || facts.evidence === 'step-up';
  if (facts.records === 'none') return isOfCookie ? refuseToOpen('not-found', 'no-records') : { outcome: 'unrecorded' };
  if (facts.records === 'away') return decideWithoutDatabase(facts);
  return BY_EVIDENCE[facts.evidence](facts);
}

const BY_EVIDENCE: Record<OpeningFacts['evidence'], typeof decideOpening> = {
  replacement: decideOnReplacement,
  'fresh-proof': decideOnFreshProof,
  'old-proof': decideOnOldProof,
  renewal: decideOnRenewal,
  'step-up': decideOnStepUp,
  'own-browser': decideOnOwnBrowser,
};

/** Whether the session of an old proof was ended is unknown: its cookie goes on, but gets no successor. */
function decideWithoutDatabase({ evidence }: OpeningFacts): OpeningDecision {
  const isProof = evidence === 'fresh-proof' || evidence === 'replacement';
  return isProof ? { outcome: 'unrecorded' } : refuseToOpen('records-unavailable', 'records-away');
}

function decideOnFreshProof({ session, device, isSameProof, isProofEnded }: OpeningFacts): OpeningDecision {
  // A live session was not ended: what was is another one, between whose proofs this one happens to be.
  if (isSameProof && session === 'live' && device !== 'other') return { outcome: 'continue' };
  // For 5 minutes, the SDK of a browser that was signed out from elsewhere still has tokens of a fresh proof.
  if (isProofEnded) return refuseToOpen('recent-login-required', 'proof-of-ended-session');
  if (!isSameProof) return { outcome: 'open' };
  return { outcome: session === 'unrecorded' ? 'adopt' : 'open' };
}

/** The refresh token of a browser outlives its session: alone it opens none. */
function decideOnOldProof({ session, device }: OpeningFacts): OpeningDecision {
  if (session === 'unrecorded') return { outcome: 'adopt' };
  if (session !== 'live') return refuseToOpen('recent-login-required', 'old-proof');
  return device === 'other' ? refuseOtherBrowser() : { outcome: 'continue' };
}

/** `not-found` leads the browser to renew with an ID token. */
function decideOnRenewal({ session, device }: OpeningFacts): OpeningDecision {
  if (session === 'unrecorded') return refuseToOpen('not-found', 'session-without-record');
  if (session !== 'live') return refuseToOpen('session-required', 'ended-session');
  return device === 'same' ? { outcome: 'continue' } : refuseOtherBrowser();
}

/** The session has ended, and its browser is not known any more: it was asked for before, by `own-browser`. */
function decideOnReplacement({ session, device }: OpeningFacts): OpeningDecision {
  return session === 'live' && device === 'other' ? refuseOtherBrowser() : { outcome: 'open' };
}

/** A copied cookie does not become a session of another browser, whatever is shown there. */
function decideOnStepUp({ session, device }: OpeningFacts): OpeningDecision {
  if (session === 'unrecorded') return { outcome: 'adopt' };
  if (session !== 'live') return refuseToOpen('session-required', 'ended-session');
  return device === 'other' ? refuseOtherBrowser() : { outcome: 'continue' };
}

function decideOnOwnBrowser({ session, device }: OpeningFacts): OpeningDecision {
  // None: its cookie, which was good a moment before, cannot be verified any more.
  if (session === 'ended' || session === 'none') return refuseToOpen('session-required', 'ended-session');
  return session === 'live' && device === 'other' ? refuseOtherBrowser() : { outcome: 'continue' };
}
