import { ApiProblem } from '@/lib/shared/problem';
import { env } from '@/lib/server/runtime';
import { consumeLimit, recordEvent, recordRemovedMethod } from '@/lib/server/storage';
import {
  type LiveSession,
  type SessionRequest,
  changeOwnAccount,
  authorizeWithoutStep,
  renewAfterRevocation,
  type RenewedSession,
  getMethods,
  verifyFreshProof,
  notifyOwner,
} from '@/lib/server/session';
import { changeAccountWithSessions, changeJudgedAccount, countUsablePasskeys } from '@/lib/server/identity';
import { canRemoveMethod } from '@/lib/shared/account/security';
import { hasMethod } from '@/lib/server/policy';

/**
 * Changes the name of the signed-in user. It needs no recent authentication: a name gives no access, and its owner can change it back.
 * @throws ApiProblem `too-many-requests`, `not-found` for sessions of another deployment, 401, 503
 */
export async function changeName(
  { status: { uid } }: LiveSession,
  name: string,
  request: SessionRequest,
): Promise<void> {
  if (env().SESSION_BACKEND === 'upstream') throw new ApiProblem('not-found');
  await consumeLimit('change-name', uid);
  await changeOwnAccount(uid, request, ({ user }) =>
    user.displayName === name ? Promise.resolve() : changeAccountWithSessions(uid, { displayName: name }),
  );
  recordEvent({ uid, kind: 'name-changed', client: request.client() });
}

/**
 * Removes a sign-in method from the account of a live session, and emails its owner. All its sessions and tokens are
 * revoked, since any of them may have been created with that method; this browser gets a new session. The identity
 * provider itself would remove the last method.
 * @param token ID token of a sign-in to the same account at most 5 minutes ago
 * @param method by the identity provider's id; one that the account no longer has is no error
 * @returns the new session; null if nothing was removed, or the session could not be created
 * @throws ApiProblem as `requireFreshProof`; `last-method`, `records-unavailable`, `not-found` for sessions of another deployment, 401, 503
 */
export async function unlinkMethod(
  { status: { uid } }: LiveSession,
  token: string,
  method: string,
  request: SessionRequest,
): Promise<RenewedSession | null> {
  if (env().SESSION_BACKEND === 'upstream') throw new ApiProblem('not-found');
  const decoded = await verifyFreshProof(uid, token);
  const account = await changeOwnAccount(uid, request, async () => {
    const requestedAt = new Date();
    const { account } = await authorizeWithoutStep(decoded, request);
    if (!hasMethod(account.facts, method)) return null;
    const methods = await getMethods(account.facts, await request.enabledSocial());
    const canRemove = (passkeys: number) => canRemoveMethod({ methods, passkeys }, method);
    // The database is asked only when it decides.
    if (!canRemove(0) && !canRemove(await countUsablePasskeys(account.facts))) throw new ApiProblem('last-method');
    // Unlinking the provider `password` instead could remove the email as well (docs/adr/0021-one-account-policy.md).
    const change = method === 'password' ? { removePassword: true } : { unlink: [method] };
    await changeJudgedAccount(account, { ...change, revoke: true });
    const present = account.facts.methods.map(({ id }) => id);
    recordRemovedMethod({ uid, method, client: request.client(), read: { methods: present, requestedAt } });
    return account;
  });
  if (account === null) return null;
  const keep = account.facts.methods.map(({ id }) => id).filter((id) => id !== method);
  await notifyOwner(account.user, { notice: 'method-removed', keep, remove: [method] }, await request.emailContext());
  return renewAfterRevocation(decoded, request);
}
