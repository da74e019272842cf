import type { DecodedIdToken } from 'firebase-admin/auth';
import { ApiProblem } from '@/lib/shared/problem';
import { env } from '@/lib/server/runtime';
import { getSocialProviderId } from '@/lib/shared/sign-in-methods';
import {
  toAccountFacts,
  type Account,
  type AccountFacts,
  type StoredAccount,
  getAssurance,
  getProviderAuthorization,
  getSecondFactorUse,
  isRequiredNow,
  decideSignIn,
  type SignInDecision,
  type SignInEvidence,
  getDirectory,
  isSecondFactorOffered,
} from '@/lib/server/policy';
import { getIdentityAdmin, callIdentityProvider } from '@/lib/server/identity';
import { wasEnded } from '@/lib/server/storage';
import type { SessionRequest, SignIn } from './types';
import {
  getFactor,
  getHandoffMethod,
  getAuthenticationTime,
  getRenewalTime,
  getSessionProvider,
  readHandoffClaims,
} from './handoff';

// Collects the facts that the account policy decides on. No decision is made here.

/** Without `secondFactorRule`, the origin is not asked: for a proof of a user who has a session. */
export type PolicyRequest = Pick<SessionRequest, 'enabledSocial'> & AskedFactors;
type AskedFactors = Partial<Pick<SessionRequest, 'secondFactorRule' | 'requiredAssurance'>>;

/** Whether a sign-in to the account needs two factors, also without a second factor of the account. @throws ApiProblem 503 */
export async function requiresSecondFactor(account: AccountFacts, asked: AskedFactors): Promise<boolean> {
  if (asked.requiredAssurance === 2) return true;
  return isRequiredNow(getSecondFactorUse(account, (await asked.secondFactorRule?.()) ?? null));
}

/**
 * The day from which a sign-in as this one needs a second factor, `YYYY-MM-DD`; null when none is announced, or the account has one.
 * @throws ApiProblem 503
 */
export async function readAnnouncedDay(
  signIn: SignIn,
  user: StoredAccount,
  asked: AskedFactors,
): Promise<string | null> {
  const account = toAccountFacts(user, await getDirectory(), null);
  if (account.hasSecondFactor || getAssurance(account, signIn) === 2) return null;
  const use = getSecondFactorUse(account, (await asked.secondFactorRule?.()) ?? null);
  return use.use === 'required' && !use.inForce && isSecondFactorOffered() ? use.from : null;
}

/**
 * Decides on an ID token whose signature was verified. `verifySignIn` applies the decision.
 * @param request social providers enabled for the requesting origin
 * @param provider that the sign-in is judged by: the token's, or that of its first factor where our server has just completed the sign-in or
 *   replaces its session. A token that claims to renew a session never leaves our server, and is judged as a custom token where it was not made.
 */
export async function decideOnToken(
  decoded: DecodedIdToken,
  { facts: account }: Account,
  { enabledSocial, ...asked }: PolicyRequest,
  provider = decoded.firebase.sign_in_provider,
): Promise<SignInDecision> {
  const directory = await getDirectory();
  const handoff = readHandoffClaims(decoded);
  const signIn = { ...readSignIn(decoded), provider };
  const social = getSocialProviderId(provider) === null ? undefined : await enabledSocial();
  const assurance = getAssurance(account, signIn);
  return decide(account, {
    kind: 'id-token',
    ...signIn,
    assurance,
    isRemembered: signIn.factor === 'remembered-browser' && asked.requiredAssurance !== 2,
    requiresSecondFactor: assurance < 2 && (await requiresSecondFactor(account, asked)),
    authorization: getProviderAuthorization(provider, account.email, directory, social),
    issuedAt: decoded.iat,
    // A token that replaces a session takes its place: it is not derived from it.
    isHandoff: handoff !== null && provider === 'custom',
    isEnded: handoff !== null && (await wasEnded([handoff.session])),
  });
}

/** Reads the sign-in from the claims of a verified token or session cookie. */
export function readSignIn(decoded: DecodedIdToken): SignIn {
  return {
    provider: getSessionProvider(decoded),
    method: getHandoffMethod(decoded),
    factor: getFactor(decoded),
    email: typeof decoded.email === 'string' ? decoded.email.toLowerCase() : null,
    authenticatedAt: getAuthenticationTime(decoded),
    renewedAt: getRenewalTime(decoded),
  };
}

/** How many factors the user of a sign-in to an account has shown. */
export async function readAssurance(signIn: SignIn, user: StoredAccount): Promise<1 | 2> {
  return getAssurance(toAccountFacts(user, await getDirectory(), null), signIn);
}

/** Identifies a session. `sids`: the ids by which it can have been ended. */
export type SessionProof = SignIn & { uid: string; sids: readonly string[] };

/**
 * Decides on a session whose cookie was verified.
 * @param user as the identity provider has it now
 * @param ended whether the session, or the one its custom token was minted from, was signed out
 */
export async function decideOnSession(signIn: SignIn, user: StoredAccount, ended: boolean): Promise<SignInDecision> {
  const { provider, method, email, authenticatedAt, renewedAt } = signIn;
  const directory = await getDirectory();
  // Whether it had another email was decided when the session was created; since then, only the claim counts.
  const account = toAccountFacts(user, directory, null);
  return decide(account, {
    kind: 'session',
    provider,
    method,
    email,
    assurance: getAssurance(account, signIn),
    isRemembered: signIn.factor === 'remembered-browser',
    requiresSecondFactor: isRequiredNow(getSecondFactorUse(account, null)),
    authorization: getProviderAuthorization(provider, account.email, directory),
    issuedAt: authenticatedAt,
    authenticatedAt,
    renewedAt,
    // The rule `custom-token-of-unknown-origin` lets no other custom token create a session.
    isHandoff: provider === 'custom',
    isEnded: ended,
  });
}

/**
 * Checks with the provider, bypassing the cache, whether a session is still valid.
 * @returns the facts of its account
 * @throws ApiProblem 401 when it was ended or revoked, its user disabled or deleted, or its email is unverified; 503
 */
export async function verifySessionUncached(session: SessionProof): Promise<AccountFacts> {
  const [ended, user] = await Promise.all([
    wasEnded(session.sids),
    callIdentityProvider(getIdentityAdmin().getUser(session.uid), 'getUser'),
  ]);
  const decision = await decideOnSession(session, user, ended);
  if (decision.outcome !== 'allow') throw new ApiProblem(decision.code);
  return toAccountFacts(user, await getDirectory(), null);
}

function decide(account: AccountFacts, evidence: SignInEvidence): SignInDecision {
  const facts = { evidence, account, rollout: env().NEXT_PUBLIC_ROLLOUT_MODE, now: Date.now() / 1000 };
  return decideSignIn(facts);
}
