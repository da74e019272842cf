import type { NextApiRequest, NextApiResponse } from 'next';
import { redeemOnce } from '@/lib/server/codes';
import { appendCookies, applySharedComputerExpiry } from '@/lib/server/http';
import {
  changeAccountWithSessions,
  changeJudgedAccount,
  countUsablePasskeys,
  findByEmail,
  idTokenByCustomToken,
  idTokenByPassword,
  inspectCode,
  resetPasswordByCode,
  retryWhileUnavailable,
  withAccountLock,
} from '@/lib/server/identity';
import { passwordSetCookies, type EmailContext } from '@/lib/server/notifications';
import { listMethods, decideEmailedAccess, hasMethod, type Account, type StoredAccount } from '@/lib/server/policy';
import { digest, env } from '@/lib/server/runtime';
import {
  authorizeSignIn,
  authorizeWithoutStep,
  changeOwnAccount,
  getAuthenticationTime,
  getFactor,
  getSessionBackend,
  isRecentAuthentication,
  mintTokenOfSession,
  notifyOwner,
  proveMailbox,
  requireFactorOfRecords,
  verifyCookie,
  verifyFreshProof,
  verifyToken,
  type CreatedSession,
  type LiveSession,
  type RenewedSession,
  type SessionRequest,
} from '@/lib/server/session';
import { consumeLimit, recordEvent, recordRemovedMethod } from '@/lib/server/storage';
import { canRemoveMethod } from '@/lib/shared/account/security';
import { reportError } from '@/lib/shared/error-reporting/report';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { checkPassword } from './password-policy';

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
  return changeOwnAccount(uid, request, async (_account, renew) => {
    const requestedAt = new Date();
    const { account } = await authorizeWithoutStep(decoded, request);
    if (!hasMethod(account.facts, method)) return null;
    const methods = await listMethods(account.facts, await request.enabledSocial());
    const canRemove = (passkeys: number) => canRemoveMethod({ methods, passkeys }, method);
    // The database is asked only when it decides.
    if (!canRemove(0) && !canRemove(await countUsablePasskeys(account.facts))) throw new ApiProblem('last-method');
    const context = await request.emailContext();
    const present = account.facts.methods.map(({ id }) => id);
    const keep = present.filter((id) => id !== method);
    const tell = () => notifyOwner(account.user, { notice: 'method-removed', keep, remove: [method] }, context);
    const removes = { methods: [method], tell };
    await retryWhileUnavailable(() => changeJudgedAccount(account, { removes, revoke: true }));
    recordRemovedMethod({ uid, method, client: request.client(), read: { methods: present, requestedAt } });
    return renew(decoded);
  });
}

/**
 * Sets a new password with the code of an emailed link (docs/adr/0007), and revokes all sessions of the account.
 * @returns the account's email
 * @throws ApiProblem `action-code-expired`, `action-code-invalid`, `password-common`, `password-breached`, `password-personal`,
 *   `password-weak`, 503
 */
export async function resetPasswordByLink(oobCode: string, password: string, context: EmailContext): Promise<string> {
  const email = await inspectCode(oobCode, 'PASSWORD_RESET');
  const account = await findByEmail(email);
  if (!account || !decideEmailedAccess(account.facts).password) throw new ApiProblem('action-code-invalid');
  await checkPassword(password, email);
  // The provider redeems a code for whichever account has the email by then, and marks it as verified with all that a
  // third party may have added to it. So the code is redeemed here, for this account, and at the provider afterwards.
  await redeemOnce(digest(oobCode), () =>
    proveMailbox(account, { by: 'reset-link', browser: 'other', presentedMethod: null }, context, password),
  );
  await resetPasswordByCode(oobCode, password).catch((error: unknown) =>
    reportError(error, { during: 'redeeming the code of a reset link at the identity provider' }),
  );
  return email;
}

/**
 * Changes the password of the signed-in user. The request must carry the current password: no token distinguishes a
 * password sign-in from a sign-in by emailed link. All sessions are revoked except the one created here.
 * @returns null when that could not be created
 * @throws ApiProblem `second-factor-required` for a session without that of its account, `password-wrong`, `password-common`,
 *   `password-breached`, `password-personal`, `password-weak`, `too-many-requests`, `not-found` for sessions of another deployment, 401, 503
 */
export async function changePassword(
  { status: { uid, assurance } }: LiveSession,
  { current, password }: { current: string; password: string },
  request: SessionRequest,
): Promise<CreatedSession | null> {
  if (env().SESSION_BACKEND === 'upstream') throw new ApiProblem('not-found');
  await consumeLimit('set-password', uid);
  const context = await request.emailContext();
  let changed: StoredAccount | null = null;
  try {
    return await changeOwnAccount(uid, request, async (account) => {
      const { user } = account;
      if (!user.email) throw new ApiProblem('user-disabled');
      await checkPassword(password, user.email);
      const session = await verifyCookie(request.sessionCookie ?? '');
      // The account's claim can be missing: by the password alone it would get no session after the change.
      const hasFactor = assurance === 2 || getFactor(session) !== null;
      if (!hasFactor) await requireFactorOfRecords(uid);
      await idTokenByPassword(user.email, current);
      await replacePassword(account, password, context);
      changed = user;
      // A password is one factor: the session's others go on with the new one.
      const token = hasFactor
        ? await idTokenByCustomToken(await mintTokenOfSession(session, account.facts))
        : await idTokenByPassword(user.email, password);
      return getSessionBackend().replace(token, request);
    });
  } catch (error) {
    // The change is done: the user signs in with the new password, and must not be told to try again with the old one.
    if (changed === null) throw error;
    reportError(error, { during: 'creating the session after a change of the password' });
    return null;
  } finally {
    if (changed !== null) await notifyOfPassword(changed, context);
  }
}

/**
 * Sets the first password of the new system for a legacy account that must do so before it gets a session.
 * @param token an ID token of a sign-in at most 5 minutes ago for which the account policy requires exactly that step
 * @returns null when it is set, but no session could be created
 * @throws ApiProblem as `verifySignIn`; `recent-login-required`, `password-common`, `password-breached`, `password-personal`, `password-weak`,
 *   `too-many-requests`, 503
 */
export async function setFirstPassword(
  token: string,
  password: string,
  request: SessionRequest,
): Promise<CreatedSession | null> {
  const decoded = await verifyToken(token);
  const context = await request.emailContext();
  const { user, email } = await withAccountLock(decoded.uid, async () => {
    const { account, decision } = await authorizeSignIn(decoded, { enabledSocial: request.enabledSocial });
    const { email } = account.user;
    const isDue = decision.outcome === 'step' && decision.code === 'legacy-reset-required';
    if (!isDue || !isRecentAuthentication(getAuthenticationTime(decoded)) || email === undefined)
      throw new ApiProblem('recent-login-required');
    await consumeLimit('set-password', decoded.uid);
    await checkPassword(password, email);
    await replacePassword(account, password, context);
    return { user: account.user, email };
  });
  await notifyOfPassword(user, context);
  try {
    return await getSessionBackend().open(await idTokenByPassword(email, password), request);
  } catch (error) {
    // What the account needs before it gets one.
    if (isApiProblem(error) && error.status === 403) throw error;
    reportError(error, { during: 'creating the session after the first password was set' });
    return null;
  }
}

/** The body of the response to either. Sets the cookies of the session, or of the page that asks for the new password. */
export function respondWithPasswordSet(
  { req, res }: { req: NextApiRequest; res: NextApiResponse },
  session: CreatedSession | null,
): { signedIn: boolean; deletionAt?: string } {
  appendCookies(res, session ? applySharedComputerExpiry(req, session.cookies) : passwordSetCookies(req));
  const deletionAt = session?.deletionAt ?? null;
  return { signedIn: session !== null, ...(deletionAt !== null && { deletionAt }) };
}

/**
 * Sets a password for a user who gave the current one: no mailbox is proved, and all methods are kept. All sessions are
 * revoked.
 * @throws ApiProblem `password-weak`, 503
 */
async function replacePassword(account: Account, password: string, context: EmailContext): Promise<void> {
  const change = { password, claims: { dropsLegacy: true }, revoke: true };
  // It may be carried out, and its answer lost.
  await retryWhileUnavailable(() => changeJudgedAccount(account, change));
  recordEvent({ uid: account.facts.uid, kind: 'password-changed', client: context.client });
}

async function notifyOfPassword(user: StoredAccount, context: EmailContext): Promise<void> {
  const keep = user.providerData.map(({ providerId }) => providerId);
  await notifyOwner(user, { notice: 'password-changed', keep, remove: [] }, context);
}
