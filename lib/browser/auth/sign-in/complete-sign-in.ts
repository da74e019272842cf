import type { User } from 'firebase/auth';
import type { ApiResult } from '@/lib/browser/api-client';
import { claimCallback, goOn } from '@/lib/browser/callback';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { areCookiesEnabled } from '@/lib/browser/cookies';
import { paths } from '@/lib/shared/paths';
import { takeOffer } from '@/lib/browser/passkeys/means';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { createUserSession, type OpenedSession } from '@/lib/browser/session/api';
import { broadcastOwnSignIn, broadcastSignIn } from './broadcast-sign-in';
import type { LoginMode, SignInEvent } from './events';
import { isOnlyProved, toProviderUser, type ProvedUser } from './proved-user';
import { toSignInFailure, type SignInFailure } from './error-codes';
import { forgetPendingLink, getPendingLink, mayHaveProviderUser, type PendingLink } from '../pending';
import { signOutOfFirebase } from '../provider/provider-session';

/**
 * Completes every sign-in method. It opens the session of a user whom the identity provider has authenticated, and
 * redirects to the callback or to a required step (docs/product.md#screens).
 * @param method the provider id that was used, highlighted next time on this device
 * @param mode what led to the sign-in; `link` is set automatically
 * @returns null when the redirect is in progress
 */
export async function completeSignIn(
  env: PublicEnv,
  user: User | ProvedUser,
  method: string,
  mode: LoginMode = 'signIn',
): Promise<SignInFailure | null> {
  // Without cookies the next page has no session, and the learner would be redirected in a loop.
  if (!areCookiesEnabled(env.mainDomain)) return { code: 'auth/cookies-off', retryAfter: null };
  const link = getPendingLink();
  if (link !== null) return linkAndOpen(env, await toProviderUser(user), method, mode, link);
  return open(env, user, method, mode);
}

/** Links a pending method before the session is opened. If linking fails, the sign-in fails, too. */
async function linkAndOpen(
  env: PublicEnv,
  user: User,
  method: string,
  mode: LoginMode,
  link: PendingLink,
): Promise<SignInFailure | null> {
  const { linkPendingTo } = await import('./linking');
  const code = await linkPendingTo(user, link);
  const isOther = code === 'auth/link/invalid-email-for-link';
  const isLinkPage = window.location.pathname === paths.linkAccount;
  // On the link page, keep the link after another user's sign-in, so that the right user can still sign in.
  if (!isOther || !isLinkPage) forgetPendingLink();
  if (code === null) return open(env, user, method, 'link');
  // Nothing is linked to an unverified account, but the sign-in continues to its confirmation code. On other pages, a user
  // who signs in to another account wants that account and not the link.
  if (code === 'auth/email-not-verified' || (isOther && !isLinkPage)) return open(env, user, method, mode);
  await signOutOfFirebase(env);
  return { code, retryAfter: null };
}

/** Opens the session and redirects. @returns null when the redirect is in progress */
async function open(
  env: PublicEnv,
  user: User | ProvedUser,
  method: string,
  mode: LoginMode,
): Promise<SignInFailure | null> {
  const result = await requestSession(env, user, method, mode);
  if (!result.ok) {
    // Load the code for required steps only if the response may require a step. If loading fails, the sign-in fails.
    const step = result.status === 403 ? await import('./required-step').catch(() => null) : null;
    const failure = step ? await step.redirectToRequiredStep(env, user, method, result) : result;
    return failure && toSignInFailure(failure);
  }
  await leave(env, method, result.data ?? {});
  return null;
}

/** How long the learner waits for an offer before the redirect, in milliseconds. */
const OFFER_TIMEOUT_MS = 5_000;

/**
 * Redirects after a sign-in. Password managers first get the list of the account's passkeys. After a password sign-in, a
 * device that can store a passkey gets a passkey or an offer, once. A scheduled deletion comes before an announced second
 * factor, and both before an offer. The learner sees at most one such page.
 */
async function leave(env: PublicEnv, method: string, opened: OpenedSession): Promise<void> {
  let isLate = false;
  const go = () => goOn(env, opened);
  const offer = async () => {
    const { signal, secondFactorFrom, deletionAt } = opened;
    const isAnnounced = secondFactorFrom !== undefined || deletionAt !== undefined;
    const isOffered = !isAnnounced && method === 'password' && env.passkeys && (await takeOffer());
    if (!isAnnounced && !isOffered && !signal) return go();
    const { tellAndGo } = await import('@/lib/browser/passkeys/upgrade');
    if (!isLate) await tellAndGo(env, isOffered, opened, () => isLate);
  };
  // The session is open, so an offer must not block the redirect.
  await promiseTimeout(offer(), OFFER_TIMEOUT_MS).catch(() => {
    isLate = true;
    go();
  });
}

/** Opens the session and does not redirect. */
export async function requestSession(
  env: PublicEnv,
  user: User | ProvedUser,
  method: string,
  mode: LoginMode = 'signIn',
): Promise<ApiResult<OpenedSession | null>> {
  const token = await user.getIdToken();
  // Another user may still be signed in there, and this session must not be renewed with that user's token.
  if (isOnlyProved(user) && mayHaveProviderUser()) await signOutOfFirebase(env);
  claimCallback(env);
  const result = await createUserSession(token);
  if (!result.ok) return result;
  if (isOnlyProved(user)) broadcastOwnSignIn(await describe(user), method, mode);
  else broadcastSignIn(user, method, mode);
  return result;
}

/** How long a sign-in waits for the account's description, in milliseconds. It was requested before the session. */
const DESCRIPTION_TIMEOUT_MS = 1_000;

async function describe({ uid, email, displayName, account }: ProvedUser): Promise<SignInEvent['user']> {
  return {
    uid,
    email,
    displayName,
    account: account && (await promiseTimeout(account, DESCRIPTION_TIMEOUT_MS).catch(() => null)),
  };
}
