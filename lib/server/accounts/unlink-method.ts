import { setTimeout as sleep } from 'node:timers/promises';
import type { DecodedIdToken } from 'firebase-admin/auth';
import { hasOtherUsableMethod } from '@/lib/shared/account/security';
import { reportError } from '@/lib/shared/error-reporting/report';
import { ApiProblem } from '@/lib/shared/problem';
import { env } from '../config/env';
import { hasMethod } from '../account-policy/account';
import { providerUnavailable } from '../identity-provider/errors';
import { idTokenByCustomToken } from '../identity-provider/identity-toolkit';
import { getSessionBackend, type LiveSession } from '../session';
import { recordRemovedMethod } from '../records/record-event';
import { changeAccountWithSessions } from '../session/change-account';
import { mintRenewedToken } from '../session/custom-token';
import type { CreatedSession, SessionRequest } from '../session/types';
import { authorizeWithoutStep } from '../session/verify-sign-in';
import { getStore } from '../store';
import { getMethods } from './account-security';
import { verifyFreshProof } from './fresh-proof';
import { notifyOwner } from './prove-mailbox';

/** Longer than the calls to the identity provider within a change can take. */
const LOCK_SECONDS = 16;
const LOCK_RETRY_MS = 100;
const LOCK_TRIES = 50;

/** `customToken`: signs this browser in at the identity provider again. */
type RenewedSession = Pick<CreatedSession, 'cookies'> & { customToken: string };

/**
 * Removes a sign-in method from the account of a live session, and emails its owner. All its sessions and tokens are
 * revoked, since any of them may have been created with that method; this browser gets a new session. The identity
 * provider itself would remove the last method.
 * @param token ID token of a sign-in to the same account at most 5 minutes ago
 * @param method by the identity provider's id; one that the account no longer has is no error
 * @returns the new session; null if nothing was removed, or the session could not be created
 * @throws ApiProblem as `requireFreshProof`; `last-method`, `not-found` for sessions of another deployment, 401, 503
 */
export async function unlinkMethod(
  { status: { uid } }: LiveSession,
  token: string,
  method: string,
  request: SessionRequest,
): Promise<RenewedSession | null> {
  if (env().SESSION_BACKEND === 'upstream') throw new ApiProblem('not-found');
  const decoded = await verifyFreshProof(uid, token);
  const account = await withAccountLock(uid, async () => {
    const requestedAt = new Date();
    const { account } = await authorizeWithoutStep(decoded, request);
    if (!hasMethod(account.facts, method)) return null;
    const methods = await getMethods(account.facts, await request.enabledSocial());
    if (!hasOtherUsableMethod(methods, method)) throw new ApiProblem('last-method');
    // Unlinking the provider `password` instead could remove the email as well (docs/adr/0021-one-account-policy.md).
    const change = method === 'password' ? { removePassword: true } : { unlink: [method] };
    await changeAccountWithSessions(uid, { ...change, revoke: true });
    const present = account.facts.methods.map(({ id }) => id);
    recordRemovedMethod({ uid, method, client: request.client(), read: { methods: present, requestedAt } });
    return account;
  });
  if (account === null) return null;
  const keep = account.facts.methods.map(({ id }) => id).filter((id) => id !== method);
  await notifyOwner(account.user, { notice: 'method-removed', keep, remove: [method] }, await request.emailContext());
  return renewSession(decoded, request);
}

/** The method is removed already: a failure is reported, and the user signs in again. */
async function renewSession(decoded: DecodedIdToken, request: SessionRequest): Promise<RenewedSession | null> {
  try {
    const customToken = await mintRenewedToken(decoded);
    const idToken = await idTokenByCustomToken(customToken);
    const { cookies } = await getSessionBackend().create(idToken, { ...request, replacesSession: true });
    return { cookies, customToken };
  } catch (error) {
    reportError(error, { during: 'renewing the session after a change of sign-in methods' });
    return null;
  }
}

/** Serializes the changes of an account: two at a time could each leave the method that the other one removes. */
async function withAccountLock<T>(uid: string, work: () => Promise<T>): Promise<T> {
  const key = `unlink-method:${uid}`;
  for (let tries = 1; !(await getStore().setIfAbsent(key, '1', LOCK_SECONDS)); tries += 1) {
    if (tries === LOCK_TRIES) throw providerUnavailable();
    await sleep(LOCK_RETRY_MS);
  }
  try {
    return await work();
  } finally {
    await getStore().delete(key);
  }
}
