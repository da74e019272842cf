import { and, eq, isNotNull } from 'drizzle-orm';
import type { DecodedIdToken } from 'firebase-admin/auth';
import { reportError } from '@/lib/shared/error-reporting/report';
import { ApiProblem, nullOnProblem } from '@/lib/shared/problem';
import { getSocialProviderId } from '@/lib/shared/sign-in-methods';
import {
  decideSignIn,
  getAssurance,
  getDirectory,
  getProviderAuthorization,
  getSecondFactorUse,
  hasMethod,
  isRequiredNow,
  isSecondFactorOffered,
  toAccountFacts,
  toProblem,
  type Account,
  type AccountFacts,
  type SignInDecision,
  type SignInEvidence,
  type StoredAccount,
} from '@/lib/server/policy';
import { changeJudgedAccount, findById, getAccount, verifyJwt, withAccountLock } from '@/lib/server/identity';
import { getOwnBrand } from '@/lib/server/notifications';
import { env, hashAccount, setRequestAccount } from '@/lib/server/runtime';
import { accounts, hasRecords, queryInTime, wasEnded } from '@/lib/server/storage';
import { isFreshSignIn, readHandoffClaims, readSignIn, type SessionProof } from './tokens';
import { notifyOwner } from './prove-mailbox';
import type { SessionRequest, SignIn } from './types';

/** A sign-in that the account policy accepts, or for which it requires a step first. */
export type VerifiedSignIn = {
  decoded: DecodedIdToken;
  account: Account;
  decision: Extract<SignInDecision, { outcome: 'allow' | 'step' }>;
};

/**
 * Verifies an ID token and applies the account policy's decision (docs/account-policy.md#sign-in).
 * @throws ApiProblem the policy's code when it refuses; `token-invalid`, `token-expired`, `user-deleted`, 503
 */
export async function verifySignIn(
  token: string,
  { enabledSocial }: Pick<SessionRequest, 'enabledSocial'>,
): Promise<VerifiedSignIn> {
  return authorizeSignIn(await verifyToken(token), { enabledSocial });
}

/** Verifies the signature of an ID token and its lifetime. @throws ApiProblem `token-invalid`, `token-expired`, 503 */
export async function verifyToken(token: string): Promise<DecodedIdToken> {
  const decoded = await verifyJwt('verifyIdToken', token);
  setRequestAccount(decoded.uid);
  return decoded;
}

/** The same for a token whose signature was verified. @throws ApiProblem as `verifySignIn` */
export async function authorizeSignIn(
  decoded: DecodedIdToken,
  request: PolicyRequest,
  provider?: string,
): Promise<VerifiedSignIn> {
  const account = await findById(decoded.uid);
  if (account === null) throw new ApiProblem('user-deleted');
  const decision = await decideOnToken(decoded, account, request, provider);
  if (decision.outcome === 'allow' || decision.outcome === 'step') return { decoded, account, decision };
  await applyRefusal(decision, decoded);
  throw toProblem(decision);
}

/** The same for a session. A renewal needs no more factors than the original session. @throws ApiProblem as `verifySignIn` */
export function authorizeOpening(
  decoded: DecodedIdToken,
  request: SessionRequest,
  provider?: string,
): Promise<VerifiedSignIn> {
  return authorizeSignIn(decoded, isFreshSignIn(decoded) ? request : { ...request, requiredAssurance: 1 }, provider);
}

/** The same for a sign-in that must not be waiting for a step. @throws ApiProblem the code of the step, too */
export async function authorizeWithoutStep(
  decoded: DecodedIdToken,
  { enabledSocial }: Pick<SessionRequest, 'enabledSocial'>,
): Promise<VerifiedSignIn & { decision: Extract<SignInDecision, { outcome: 'allow' }> }> {
  const { decision, ...signIn } = await authorizeSignIn(decoded, { enabledSocial });
  if (decision.outcome === 'step') throw toProblem(decision);
  if (getAssurance(signIn.account.facts, readSignIn(decoded)) < 2) await requireFactorOfRecords(decoded.uid);
  return { ...signIn, decision };
}

/**
 * Refuses one factor of an account that has a second one. Its claim says so. It can be missing (docs/adr/0032): then the records say so, as at a
 * sign-in, unless they are away.
 * @throws ApiProblem `second-factor-required`
 */
export async function requireFactorOfRecords(uid: string): Promise<void> {
  if (!hasRecords()) return;
  const hasOne = and(eq(accounts.uid, uid), isNotNull(accounts.secondFactorSince));
  const found = await nullOnProblem(
    queryInTime((tx) => tx.select({ uid: accounts.uid }).from(accounts).where(hasOne).limit(1)),
  );
  if (found?.[0]) throw new ApiProblem('second-factor-required');
}

type Refusal = Extract<SignInDecision, { outcome: 'refuse' }>;

async function applyRefusal({ code, unlink }: Refusal, { uid, firebase }: DecodedIdToken): Promise<void> {
  const provider = firebase.sign_in_provider;
  if (code === 'provider-not-allowed') reportError(new Error('A sign-in provider is not listed'), { provider });
  if (!unlink) return;
  await withAccountLock(uid, () => unlinkRefused(uid, provider));
  reportError(new Error('A provider asserted an email outside its domains'), { provider, account: hashAccount(uid) });
}

/**
 * The identity provider has already linked the provider to the account (docs/adr/0011), and given its user a token that could set a password there.
 * Tokens cannot be revoked one by one: all sessions end, and the owner is told why.
 */
async function unlinkRefused(uid: string, provider: string): Promise<void> {
  const account = await findById(uid);
  // Another refused sign-in has done it.
  if (account === null || !hasMethod(account.facts, provider)) return;
  const keep = account.facts.methods.map(({ id }) => id).filter((id) => id !== provider);
  const tell = () => notifyOwner(account.user, { notice: 'provider-refused', keep, remove: [provider] }, getOwnBrand());
  await changeJudgedAccount(account, { removes: { methods: [provider], tell }, revoke: true });
}

// The facts that the account policy decides on. No decision is made here.

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

/** How many factors the user of a sign-in to an account has shown. */
export async function readAssurance(signIn: SignIn, user: StoredAccount): Promise<1 | 2> {
  return getAssurance(toAccountFacts(user, await getDirectory(), null), signIn);
}

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
  const [ended, user] = await Promise.all([wasEnded(session.sids), getAccount(session.uid)]);
  const decision = await decideOnSession(session, user, ended);
  if (decision.outcome !== 'allow') throw toProblem(decision);
  return toAccountFacts(user, await getDirectory(), null);
}

function decide(account: AccountFacts, evidence: SignInEvidence): SignInDecision {
  const facts = { evidence, account, rollout: env().NEXT_PUBLIC_ROLLOUT_MODE, now: Date.now() / 1000 };
  return decideSignIn(facts);
}
