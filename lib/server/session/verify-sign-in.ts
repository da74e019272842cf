import { and, eq, isNotNull } from 'drizzle-orm';
import type { DecodedIdToken } from 'firebase-admin/auth';
import { reportError } from '@/lib/shared/error-reporting/report';
import { ApiProblem, nullOnProblem } from '@/lib/shared/problem';
import { getAssurance, type Account, type SignInDecision } from '@/lib/server/policy';
import { changeAccountWithSessions, findById, restoreProvedEmail, verifyJwt } from '@/lib/server/identity';
import { setRequestAccount } from '@/lib/server/runtime';
import { accounts, hasRecords, queryInTime } from '@/lib/server/storage';
import { isFreshSignIn } from './custom-token';
import { decideOnToken, readSignIn, type PolicyRequest } from './decide';
import type { SessionRequest } from './types';

/** A sign-in that the account policy accepts, or for which it requires a step first. */
export type VerifiedSignIn = {
  decoded: DecodedIdToken;
  account: Account;
  decision: Extract<SignInDecision, { outcome: 'allow' | 'step' }>;
};

/**
 * Verifies an ID token and applies the account policy's decision (docs/account-policy.md#sign-in).
 * @throws ApiProblem the policy's code when it refuses; `token-revoked` when the account's proved email was restored;
 *   `token-invalid`, `token-expired`, `user-deleted`, 503
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
  if (decision.outcome === 'restore-email') await restoreProvedEmail(account.facts.uid);
  else await applyRefusal(decision, decoded);
  throw new ApiProblem(decision.code);
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
  if (decision.outcome === 'step') throw new ApiProblem(decision.code);
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
  // The identity provider has already linked the sign-in provider to the account (docs/adr/0011).
  await changeAccountWithSessions(uid, { unlink: [provider], revoke: true });
  reportError(new Error('A provider asserted an email outside its domains'), { provider, uid });
}
