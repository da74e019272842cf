import { and, eq, isNotNull } from 'drizzle-orm';
import { reportError } from '@/lib/shared/error-reporting/report';
import { ApiProblem, nullOnProblem } from '@/lib/shared/problem';
import { PASSKEY_METHOD, toOwnMethod } from '@/lib/shared/sign-in-methods';
import {
  decideSignIn,
  getAssurance,
  getDirectory,
  getProviderAuthorization,
  getSecondFactorUse,
  hasMethod,
  isEnabledAtOrigin,
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
import { changeJudgedAccount, findById, getAccount } from '@/lib/server/identity';
import { getOwnBrand } from '@/lib/server/notifications';
import { env, hashAccount } from '@/lib/server/runtime';
import {
  accounts,
  type LockedAccount,
  queryInTime,
  recordRefusal,
  wasEnded,
  withAccountLock,
} from '@/lib/server/storage';
import { isFreshSignIn, verifyToken, type SessionProof } from './tokens';
import { notifyOwner } from './prove-mailbox';
import type { SessionRequest, SignIn, VerifiedToken } from './types';

/** A sign-in that the account policy allows, or that requires a step first. */
export type VerifiedSignIn = {
  token: VerifiedToken;
  account: Account;
  decision: Extract<SignInDecision, { outcome: 'allow' | 'step' }>;
};

/**
 * Verifies an ID token and applies the account policy's decision (docs/account-policy.md#sign-in).
 * @throws ApiProblem the policy's code if it refuses; `token-invalid`, `token-expired`, `user-deleted`, 503
 */
export async function verifySignIn(
  jwt: string,
  { enabledIdentities }: Pick<SessionRequest, 'enabledIdentities'>,
): Promise<VerifiedSignIn> {
  return authorizeSignIn(await verifyToken(jwt), { enabledIdentities });
}

/** `provider`: as for `decideOnToken`. `locked`: the account, if the caller has locked it. */
type Circumstances = { provider?: string; locked?: LockedAccount | null };

/** Applies the account policy's decision to a verified token. @throws ApiProblem a code of `verifySignIn` */
export async function authorizeSignIn(
  token: VerifiedToken,
  request: PolicyRequest,
  { provider, locked = null }: Circumstances = {},
): Promise<VerifiedSignIn> {
  const account = await findById(token.uid, locked);
  if (account === null) throw new ApiProblem('user-deleted');
  const decision = await decideOnToken(token, account, request, provider);
  if (decision.outcome === 'allow' || decision.outcome === 'step') return { token, account, decision };
  recordRefusal({ uid: token.uid, rule: decision.rule, method: token.signInProvider });
  await applyRefusal(decision, token, locked);
  throw toProblem(decision);
}

/**
 * Applies the account policy's decision to a token that opens a session. A renewal needs no more factors than the
 * original session. @throws ApiProblem a code of `verifySignIn`
 */
export function authorizeOpening(
  token: VerifiedToken,
  request: SessionRequest,
  circumstances?: Circumstances,
): Promise<VerifiedSignIn> {
  const asked = isFreshSignIn(token) ? request : { ...request, requiredAssurance: 1 as const };
  return authorizeSignIn(token, asked, circumstances);
}

/**
 * Applies the account policy's decision to a sign-in that must not need a step. @throws ApiProblem also the code of the
 * step
 */
export async function authorizeWithoutStep(
  token: VerifiedToken,
  { enabledIdentities }: Pick<SessionRequest, 'enabledIdentities'>,
  locked: LockedAccount | null = null,
): Promise<VerifiedSignIn & { decision: Extract<SignInDecision, { outcome: 'allow' }> }> {
  const { decision, ...signIn } = await authorizeSignIn(token, { enabledIdentities }, { locked });
  if (decision.outcome === 'step') throw toProblem(decision);
  if (getAssurance(signIn.account.facts, token.signIn) < 2) await requireFactorOfRecords(token.uid);
  return { ...signIn, decision };
}

/**
 * Refuses a single factor of an account that has a second factor. Its claim usually shows this, but can be missing
 * (docs/adr/0032). Then the records decide, unless they are unavailable.
 * @throws ApiProblem `second-factor-required`
 */
export async function requireFactorOfRecords(uid: string): Promise<void> {
  const hasOne = and(eq(accounts.uid, uid), isNotNull(accounts.secondFactorSince));
  const found = await nullOnProblem(
    queryInTime((tx) => tx.select({ uid: accounts.uid }).from(accounts).where(hasOne).limit(1)),
  );
  if (found?.[0]) throw new ApiProblem('second-factor-required');
}

type Refusal = Extract<SignInDecision, { outcome: 'refuse' }>;

async function applyRefusal(
  { rule, unlink }: Refusal,
  { uid, signInProvider: provider }: VerifiedToken,
  held: LockedAccount | null,
): Promise<void> {
  // Do not report `method-not-enabled`, which any visitor can cause.
  if (rule === 'provider-not-listed') reportError(new Error('A sign-in provider is not listed'), { provider });
  if (!unlink) return;
  await withAccountLock(held ?? uid, (locked) => unlinkRefused(locked, provider));
  reportError(new Error('A provider asserted an email outside its domains'), { provider, account: hashAccount(uid) });
}

/**
 * Unlinks a refused provider. The identity provider has already linked it to the account (docs/adr/0011), and given its
 * user a token that could set a password there. Single tokens cannot be revoked, so all sessions end, and the owner is
 * notified of the reason.
 */
async function unlinkRefused(locked: LockedAccount, provider: string): Promise<void> {
  const account = await findById(locked.uid, locked);
  // Another refused sign-in has already done it.
  if (account === null || !hasMethod(account.facts, provider)) return;
  const keep = account.facts.methods.map(({ id }) => id).filter((id) => id !== provider);
  const tell = () => notifyOwner(account.user, { notice: 'provider-refused', keep, remove: [provider] }, getOwnBrand());
  await changeJudgedAccount(locked, account, {
    removes: { methods: [provider], tell },
    revoke: 'provider-outside-its-domains',
  });
}

// Collects the facts for the account policy, and decides nothing itself.

/**
 * Without `secondFactorRule`, the origin's rule is not read, for a proof of a user who has a session.
 * `enabledIdentities`: null if no sign-in begins or completes.
 */
export type PolicyRequest = { enabledIdentities: SessionRequest['enabledIdentities'] | null } & AskedFactors;
type AskedFactors = Partial<Pick<SessionRequest, 'secondFactorRule' | 'requiredAssurance'>>;

/**
 * Whether a sign-in to the account needs two factors, even if the account has no second factor. @throws ApiProblem 503
 */
export async function requiresSecondFactor(account: AccountFacts, asked: AskedFactors): Promise<boolean> {
  if (asked.requiredAssurance === 2) return true;
  return isRequiredNow(getSecondFactorUse(account, (await asked.secondFactorRule?.()) ?? null));
}

/**
 * Returns the day from which such a sign-in needs a second factor, `YYYY-MM-DD`. Null if none is announced, or the
 * account has a second factor.
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
 * Decides on a verified ID token. `verifySignIn` applies the decision.
 * @param request settings of the requesting origin
 * @param provider that the policy uses: the token's, or the first factor's if our server has just completed the sign-in
 *   or replaces its session. Renewal tokens never leave the server. If a client presents one, treat it as an ordinary
 *   custom token.
 */
export async function decideOnToken(
  token: VerifiedToken,
  { facts: account }: Account,
  { enabledIdentities, ...asked }: PolicyRequest,
  provider = token.signInProvider,
): Promise<SignInDecision> {
  const directory = await getDirectory();
  const { root } = token;
  const signIn = { ...token.signIn, provider };
  const isPasskey = toOwnMethod(signIn.method) === PASSKEY_METHOD;
  const enabled = await enabledIdentities?.();
  const assurance = getAssurance(account, signIn);
  return decide(account, {
    kind: 'id-token',
    ...signIn,
    assurance,
    isRemembered: signIn.factor === 'remembered-browser' && asked.requiredAssurance !== 2,
    requiresSecondFactor: assurance < 2 && (await requiresSecondFactor(account, asked)),
    authorization: getProviderAuthorization(provider, account.email, directory),
    isEnabled: enabled === undefined || isEnabledAtOrigin(isPasskey ? PASSKEY_METHOD : provider, enabled),
    issuedAt: token.issuedAt,
    // A token that replaces a session is not derived from it.
    isHandoff: root !== null && provider === 'custom',
    isEnded: root !== null && (await wasEnded([root])),
  });
}

/** Returns how many factors the user of a sign-in to an account has shown. */
export async function readAssurance(signIn: SignIn, user: StoredAccount): Promise<1 | 2> {
  return getAssurance(toAccountFacts(user, await getDirectory(), null), signIn);
}

/**
 * Decides on a session whose cookie was verified.
 * @param user the identity provider's current data
 * @param ended whether the session, or the session that its custom token was minted from, was signed out
 */
export async function decideOnSession(signIn: SignIn, user: StoredAccount, ended: boolean): Promise<SignInDecision> {
  const { provider, method, email, authenticatedAt, renewedAt } = signIn;
  const directory = await getDirectory();
  // The creation of the session decided whether the account had another email. Since then, only the claim counts.
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
    // A session is valid at every origin of its main domain.
    isEnabled: true,
    issuedAt: authenticatedAt,
    authenticatedAt,
    renewedAt,
    // The rule `custom-token-of-unknown-origin` prevents sessions of other custom tokens.
    isHandoff: provider === 'custom',
    isEnded: ended,
  });
}

/**
 * Checks with the provider, bypassing the cache, whether a session is still valid.
 * @returns the facts of its account
 * @throws ApiProblem 401 if it was ended or revoked, its user disabled or deleted, or its email is unverified; 503
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
