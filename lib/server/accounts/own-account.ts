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
} from '@/lib/server/identity';
import { passwordSetCookies, type EmailContext } from '@/lib/server/notifications';
import {
  listMethods,
  decideEmailedAccess,
  getShownFactor,
  hasMethod,
  isEnabledAtOrigin,
  type Account,
  type StoredAccount,
} from '@/lib/server/policy';
import { digest, env } from '@/lib/server/runtime';
import {
  authorizeSignIn,
  authorizeWithoutStep,
  changeOwnAccount,
  getSessionBackend,
  isRecentAuthentication,
  mintRenewedToken,
  notifyOwner,
  requireEnabled,
  requireFactorOfRecords,
  verifyCookie,
  verifyFreshProof,
  verifyToken,
  type CreatedSession,
  type LiveSession,
  type RenewedSession,
  type SessionRequest,
} from '@/lib/server/session';
import {
  consumeLimit,
  type LockedAccount,
  recordEvent,
  recordRemovedMethod,
  withAccountLock,
} from '@/lib/server/storage';
import { canRemoveMethod } from '@/lib/shared/account/security';
import { normalizePassword } from '@/lib/shared/account/typed-password';
import { reportError } from '@/lib/shared/error-reporting/report';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';
import { signInAfterReset, type ResetSignIn } from './sign-in-by-mail';
import { checkPassword } from './password-policy';
import { isResetLinkOver, replaceForgottenPassword } from './reset-link';

/**
 * Changes the name of the signed-in user. It needs no recent authentication, because a name gives no access, and its
 * owner can change it back.
 * @throws ApiProblem `too-many-requests`, 401, 503; `not-found` for sessions of another deployment
 */
export async function changeName(
  { status: { uid } }: LiveSession,
  name: string,
  request: SessionRequest,
): Promise<void> {
  if (env().SESSION_BACKEND === 'upstream') throw new ApiProblem('not-found');
  await consumeLimit('change-name', uid);
  await changeOwnAccount(uid, request, ({ account: { user } }) =>
    user.displayName === name ? Promise.resolve() : changeAccountWithSessions(uid, { displayName: name }),
  );
  recordEvent({ uid, kind: 'name-changed', client: request.client() });
}

/**
 * Removes a sign-in method from the account of a live session, and emails its owner. It revokes all sessions and
 * tokens, because each may have been created with that method. This browser gets a new session. The check for the last
 * method is necessary, because the identity provider would allow its removal.
 * @param token ID token of a sign-in to the same account at most 5 minutes ago
 * @param method id at the identity provider; a method that the account no longer has is no error
 * @returns the new session; null if no method was removed, or the session could not be created
 * @throws ApiProblem of `requireFreshProof`; `last-method`, `records-unavailable`, 401, 503; `not-found` for sessions
 *   of another deployment
 */
export async function unlinkMethod(
  { status: { uid } }: LiveSession,
  token: string,
  method: string,
  request: SessionRequest,
): Promise<RenewedSession | null> {
  if (env().SESSION_BACKEND === 'upstream') throw new ApiProblem('not-found');
  const proof = await verifyFreshProof(uid, token);
  return changeOwnAccount(uid, request, async ({ locked, renew }) => {
    const requestedAt = new Date();
    const { account } = await authorizeWithoutStep(proof, request, locked);
    if (!hasMethod(account.facts, method)) return null;
    const enabled = await request.enabledIdentities();
    const methods = await listMethods(account.facts, enabled);
    const canRemove = (passkeys: number) => canRemoveMethod({ methods, passkeys }, method);
    // Ask the database only if its result decides.
    const countPasskeys = async () =>
      isEnabledAtOrigin(PASSKEY_METHOD, enabled) ? countUsablePasskeys(account.facts) : 0;
    if (!canRemove(0) && !canRemove(await countPasskeys())) throw new ApiProblem('last-method');
    const context = await request.emailContext();
    const present = account.facts.methods.map(({ id }) => id);
    const keep = present.filter((id) => id !== method);
    const tell = () => notifyOwner(account.user, { notice: 'method-removed', keep, remove: [method] }, context);
    const removes = { methods: [method], tell };
    await retryWhileUnavailable(() => changeJudgedAccount(locked, account, { removes, revoke: 'method-removed' }));
    recordRemovedMethod({ uid, method, client: request.client(), read: { methods: present, requestedAt } });
    return renew(proof);
  });
}

/**
 * Sets a new password with the code of an emailed link (docs/adr/0007), revokes all sessions of the account, and signs
 * in.
 * @returns the account's email, and the sign-in
 * @throws ApiProblem `action-code-expired`, `action-code-invalid`, 503
 * @throws ApiProblem `password-common`, `password-breached`, `password-personal`, `password-unchanged` or
 *   `password-weak` for the password
 */
export async function resetPasswordByLink(
  { oobCode, password }: { oobCode: string; password: string },
  context: EmailContext,
  session: SessionRequest,
): Promise<{ email: string; signIn: ResetSignIn }> {
  const email = await inspectCode(oobCode, 'PASSWORD_RESET');
  const account = await findByEmail(email);
  if (!account || !decideEmailedAccess(account.facts).password) throw new ApiProblem('action-code-invalid');
  if (await isResetLinkOver(oobCode)) throw new ApiProblem('action-code-invalid');
  await checkPassword(password, email);
  // The provider redeems a code for whichever account has the email by then. It also marks the email as verified,
  // although a third party may have added sign-in methods. So redeem the code here for this account first, then at the
  // provider.
  const proof = { by: 'reset-link', browser: 'other', presentedMethod: null } as const;
  const provedAt = await redeemOnce(digest(oobCode), () => replaceForgottenPassword(account, proof, context, password));
  await resetPasswordByCode(oobCode, password).catch((error: unknown) =>
    reportError(error, { during: 'redeeming the code of a reset link at the identity provider' }),
  );
  return { email, signIn: await signInAfterReset({ account: account.facts, provedAt }, session) };
}

/**
 * Changes the password of the signed-in user. The request must carry the current password, because no token
 * distinguishes a password sign-in from a sign-in by emailed link. It revokes all sessions except the session created
 * here.
 * @returns null if that session could not be created
 * @throws ApiProblem `password-wrong`, `too-many-requests`, 401, 503; `not-found` for sessions of another deployment
 * @throws ApiProblem `second-factor-required` for a session without the second factor of its account
 * @throws ApiProblem `password-common`, `password-breached`, `password-personal`, `password-unchanged` or
 *   `password-weak` for the new password
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
    return await changeOwnAccount(uid, request, async ({ locked, account }) => {
      const { user } = account;
      if (!user.email) throw new ApiProblem('user-disabled');
      await checkPassword(password, user.email);
      const session = await verifyCookie(request.sessionCookie ?? '');
      // The account's claim can be missing. With the password alone, the user would get no session after the change.
      const hasFactor = assurance === 2 || session.signIn.factor !== null;
      if (!hasFactor) await requireFactorOfRecords(uid);
      await idTokenByPassword(user.email, current);
      if (password === normalizePassword(current)) throw new ApiProblem('password-unchanged');
      await replacePassword(locked, account, password, context);
      changed = user;
      // A password is only one of two factors. The session keeps its other factors with the new password.
      const token = hasFactor
        ? await idTokenByCustomToken(
            await mintRenewedToken(session, getShownFactor(account.facts, session.signIn), { renews: 'password' }),
          )
        : await idTokenByPassword(user.email, password);
      return getSessionBackend().replace(token, request, locked);
    });
  } catch (error) {
    // The change is done. The user signs in with the new password, and must not be told to retry with the old one.
    if (changed === null) throw error;
    reportError(error, { during: 'creating the session after a change of the password' });
    return null;
  } finally {
    if (changed !== null) await notifyOfPassword(changed, context);
  }
}

/**
 * Sets the first password of the new system for a legacy account, which must do so before it gets a session.
 * @param token ID token of a sign-in at most 5 minutes ago for which the account policy requires exactly that step
 * @returns null if the password is set, but no session could be created
 * @throws ApiProblem of `verifySignIn`; `recent-login-required`, `too-many-requests`, 503
 * @throws ApiProblem `password-common`, `password-breached`, `password-personal` or `password-weak` for the password
 */
export async function setFirstPassword(
  token: string,
  password: string,
  request: SessionRequest,
): Promise<CreatedSession | null> {
  const first = await verifyToken(token);
  const context = await request.emailContext();
  const { user, email } = await withAccountLock(first.uid, async (locked) => {
    await requireEnabled('password', request);
    const { enabledIdentities } = request;
    const { account, decision } = await authorizeSignIn(first, { enabledIdentities }, { locked });
    const { email } = account.user;
    const isDue = decision.outcome === 'step' && decision.code === 'legacy-reset-required';
    if (!isDue || !isRecentAuthentication(first.signIn.authenticatedAt) || email === undefined)
      throw new ApiProblem('recent-login-required');
    await consumeLimit('set-password', first.uid);
    await checkPassword(password, email);
    await replacePassword(locked, account, password, context);
    return { user: account.user, email };
  });
  await notifyOfPassword(user, context);
  try {
    return await getSessionBackend().open(await idTokenByPassword(email, password), request);
  } catch (error) {
    // The account needs a further step before it gets a session.
    if (isApiProblem(error) && error.status === 403) throw error;
    reportError(error, { during: 'creating the session after the first password was set' });
    return null;
  }
}

/**
 * Builds the response after a change of the password or a first password. It sets the cookies of the session, or of the
 * page that asks for the new password.
 */
export function respondWithPasswordSet(
  { req, res }: { req: NextApiRequest; res: NextApiResponse },
  session: CreatedSession | null,
): { signedIn: boolean; deletionAt?: string } {
  appendCookies(res, session ? applySharedComputerExpiry(req, session.cookies) : passwordSetCookies(req));
  const deletionAt = session?.deletionAt ?? null;
  return { signedIn: session !== null, ...(deletionAt !== null && { deletionAt }) };
}

/** Builds the response after a reset. It sets the cookies of the page that confirms it, and of a second factor that is due. */
export function respondWithReset(
  { req, res }: { req: NextApiRequest; res: NextApiResponse },
  { cookies, ...signIn }: ResetSignIn,
): Omit<ResetSignIn, 'cookies'> {
  appendCookies(res, [...passwordSetCookies(req), ...applySharedComputerExpiry(req, cookies)]);
  return signIn;
}

/**
 * Sets a password for a user who gave the current one. It proves no mailbox and keeps all methods. All sessions are
 * revoked.
 * @throws ApiProblem `password-weak`, 503
 */
async function replacePassword(
  locked: LockedAccount,
  account: Account,
  password: string,
  context: EmailContext,
): Promise<void> {
  const change = { password, claims: { dropsLegacy: true }, revoke: 'new-password' as const };
  // The change may be carried out although its response was lost.
  await retryWhileUnavailable(() => changeJudgedAccount(locked, account, change));
  recordEvent({ uid: account.facts.uid, kind: 'password-changed', client: context.client });
}

async function notifyOfPassword(user: StoredAccount, context: EmailContext): Promise<void> {
  const keep = user.providerData.map(({ providerId }) => providerId);
  await notifyOwner(user, { notice: 'password-changed', keep, remove: [] }, context);
}
