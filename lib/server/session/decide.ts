import type { DecodedIdToken } from 'firebase-admin/auth';
import { ApiProblem } from '@/lib/shared/problem';
import { env } from '../config/env';
import { getSocialProviderId } from '@/lib/shared/providers/method-name';
import type { SocialProviderId } from '@/lib/shared/providers/social-providers';
import { toAccountFacts, type Account, type AccountFacts, type StoredAccount } from '../account-policy/account';
import { getProviderAuthorization } from '../account-policy/provider-authorization';
import { decideSignIn, type SignInDecision, type SignInEvidence } from '../account-policy/sign-in';
import { getDirectory } from '../directory';
import { getIdentityAdmin } from '../identity-provider/admin';
import { wasEnded } from './ended';
import { getProofTime, getRenewalTime, getSessionProvider, readHandoffClaims } from './handoff';
import { callIdentityProvider } from '../identity-provider/errors';

// Collects the facts that the account policy decides on. No decision is made here.

/**
 * Decides on an ID token whose signature was verified. `verifySignIn` applies the decision.
 * @param enabledSocial social providers enabled for the requesting origin
 */
export async function decideOnToken(
  decoded: DecodedIdToken,
  { facts: account }: Account,
  enabledSocial: () => Promise<ReadonlySet<SocialProviderId>>,
): Promise<SignInDecision> {
  const directory = await getDirectory();
  const handoff = readHandoffClaims(decoded);
  // A token that claims to renew a session never leaves our server: here it is a custom token as any other.
  const provider = decoded.firebase.sign_in_provider;
  const signIn = { ...readSignIn(decoded), provider };
  const social = getSocialProviderId(provider) === null ? undefined : await enabledSocial();
  return decide(account, {
    kind: 'id-token',
    ...signIn,
    authorization: getProviderAuthorization(provider, account.email, directory, social),
    issuedAt: decoded.iat,
    isHandoff: handoff !== null,
    isEnded: handoff !== null && (await wasEnded([handoff.session])),
  });
}

/** How and when the user of a token or session signed in. Times in seconds since 1970. */
export type SignIn = Pick<SignInEvidence, 'provider' | 'email' | 'provedAt' | 'renewedAt'>;

/** Reads the sign-in from the claims of a verified token or session cookie. */
export function readSignIn(decoded: DecodedIdToken): SignIn {
  return {
    provider: getSessionProvider(decoded),
    email: typeof decoded.email === 'string' ? decoded.email.toLowerCase() : null,
    provedAt: getProofTime(decoded),
    renewedAt: getRenewalTime(decoded),
  };
}

/** Identifies a session. `sids`: the ids by which it can have been ended. */
export type SessionProof = SignIn & { uid: string; sids: readonly string[] };

/**
 * Decides on a session whose cookie was verified.
 * @param user as the identity provider has it now
 * @param ended whether the session, or the one its custom token was minted from, was signed out
 */
export async function decideOnSession(
  { provider, email, provedAt, renewedAt }: SignIn,
  user: StoredAccount,
  ended: boolean,
): Promise<SignInDecision> {
  const directory = await getDirectory();
  // Whether it had another email was decided when the session was created; since then, only the claim counts.
  const account = toAccountFacts(user, directory, null);
  return decide(account, {
    kind: 'session',
    provider,
    email,
    authorization: getProviderAuthorization(provider, account.email, directory),
    issuedAt: provedAt,
    provedAt,
    renewedAt,
    // The rule `custom-token-of-unknown-origin` lets no other custom token create a session.
    isHandoff: provider === 'custom',
    isEnded: ended,
  });
}

/**
 * Checks with the provider, bypassing the cache, whether a session is still valid.
 * @throws ApiProblem 401 when it was ended or revoked, its user disabled or deleted, or its email is unverified; 503
 */
export async function verifySessionUncached(session: SessionProof): Promise<void> {
  const [ended, user] = await Promise.all([
    wasEnded(session.sids),
    callIdentityProvider(getIdentityAdmin().getUser(session.uid), 'getUser'),
  ]);
  const decision = await decideOnSession(session, user, ended);
  if (decision.outcome !== 'allow') throw new ApiProblem(decision.code);
}

function decide(account: AccountFacts, evidence: SignInEvidence): SignInDecision {
  const facts = { evidence, account, rollout: env().NEXT_PUBLIC_ROLLOUT_MODE, now: Date.now() / 1000 };
  return decideSignIn(facts);
}
