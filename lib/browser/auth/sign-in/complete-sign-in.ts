import type { User } from 'firebase/auth';
import type { ApiResult, CallFailure } from '@/lib/browser/api-client';
import { claimCallback, goOn } from '@/lib/browser/callback';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { areCookiesEnabled } from '@/lib/browser/cookies';
import { reportError } from '@/lib/shared/error-reporting/report';
import { paths } from '@/lib/shared/paths';
import { takeOffer } from '@/lib/browser/passkeys/means';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { createUserSession, type OpenedSession } from '@/lib/browser/session/api';
import { broadcastSignIn } from './broadcast-sign-in';
import type { AuthErrorCode } from './error-codes';
import type { LoginMode } from './events';
import { forgetPendingLink, getPendingLink } from '../pending';
import { limitPersistenceToTab, signOutOfFirebase } from '../provider/provider-session';

/**
 * Why a sign-in failed, with the seconds until the next attempt if the server sent them, and the name of the sign-in
 * provider if there was one.
 */
export type SignInFailure = { code: AuthErrorCode; retryAfter: number | null; provider?: string };

/**
 * The last step of every sign-in method: opens the session for a user authenticated by the identity provider and
 * redirects to the callback, or to a required step (docs/product.md#screens).
 * @param method the provider id that was used, highlighted next time on this device
 * @param mode what led to the sign-in; `link` is set automatically
 * @returns null when the redirect is in progress
 */
export async function completeSignIn(
  env: PublicEnv,
  user: User,
  method: string,
  mode: LoginMode = 'signIn',
): Promise<SignInFailure | null> {
  // Without cookies the next page has no session, and the learner would be redirected in a loop.
  if (!areCookiesEnabled(env.mainDomain)) return { code: 'auth/cookies-off', retryAfter: null };
  const linked = await completeLink(env, user);
  if (linked !== null && linked !== 'linked') return linked;
  const result = await openSession(env, user, method, linked === 'linked' ? 'link' : mode);
  if (!result.ok) {
    // Its code is loaded only for a user who may have to take such a step; if that fails, the sign-in has failed.
    const step = result.status === 403 ? await import('./required-step').catch(() => null) : null;
    const failure = step ? await step.redirectToRequiredStep(env, user, method, result) : result;
    return failure && toSignInFailure(failure);
  }
  await leave(env, method, result.data ?? {});
  return null;
}

/** How long the learner waits for what is offered on the way, in milliseconds. */
const OFFER_TIMEOUT_MS = 5_000;

/**
 * Redirects. Password managers first learn which passkeys the account has; after a password, a device that can keep a passkey gets
 * one, or an offer, once. A scheduled deletion, and then an announced second factor, come first: there is one page at most.
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
  // The session is open: nothing may keep the learner here.
  await promiseTimeout(offer(), OFFER_TIMEOUT_MS).catch(() => {
    isLate = true;
    go();
  });
}

/** If a link is pending, links the new method before the session is opened; if linking fails, sign-in fails too. */
async function completeLink(env: PublicEnv, user: User): Promise<SignInFailure | 'linked' | null> {
  const link = getPendingLink();
  if (link === null) return null;
  const { linkPendingTo } = await import('./linking');
  const code = await linkPendingTo(user, link);
  const isOther = code === 'auth/link/invalid-email-for-link';
  const isLinkPage = window.location.pathname === paths.linkAccount;
  // Another user's account: the right user can still sign in, on the page that says so.
  if (!isOther || !isLinkPage) forgetPendingLink();
  if (code === null) return 'linked';
  // Nothing is linked to an unverified account, but sign-in continues to its confirmation code. Elsewhere, who signs in to another account
  // wants that one, and not the link.
  if (code === 'auth/email-not-verified' || (isOther && !isLinkPage)) return null;
  await signOutOfFirebase(env);
  return { code, retryAfter: null };
}

/** Opens the session without a redirect. */
export async function openSession(
  env: PublicEnv,
  user: User,
  method: string,
  mode: LoginMode = 'signIn',
): Promise<ApiResult<OpenedSession | null>> {
  const token = await user.getIdToken();
  await limitPersistenceToTab(env);
  claimCallback(env);
  const result = await createUserSession(token);
  if (result.ok) broadcastSignIn(user, method, mode);
  return result;
}

/** Maps a failed call of our API to the learner's message. A code without one is reported (docs/product.md#error-codes). */
export function toSignInFailure(result: CallFailure): SignInFailure {
  const { code, status, retryAfter } = result;
  const known = CODES[code];
  if (known === undefined) reportError(new Error('A sign-in failed with a code that has no text'), { code, status });
  return { code: known ?? 'unknown', retryAfter };
}

/** Codes of our API that have a message at sign-in. */
const CODES: Partial<Record<string, AuthErrorCode>> = {
  network: 'auth/network-request-failed',
  'provider-unavailable': 'auth/session-unavailable',
  'too-many-requests': 'auth/too-many-requests',
  'user-disabled': 'auth/user-disabled',
  'email-missing': 'auth/no-email-found-with-provider',
  'email-not-verified': 'auth/email-not-verified',
  'invalid-enterprise-domain': 'auth/invalid-enterprise-domain',
  'recent-login-required': 'auth/requires-recent-login',
  'provider-not-allowed': 'auth/provider-not-allowed',
};
