import type { User } from 'firebase/auth';
import Router from 'next/router';
import type { ApiResult } from '@/lib/browser/api-client';
import { goToCallback } from '@/lib/browser/callback';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { areCookiesEnabled, writeCookie } from '@/lib/browser/cookies';
import { reportError } from '@/lib/shared/error-reporting/report';
import { paths, pathWithFlow } from '@/lib/shared/paths';
import { createUserSession, requestConfirmation } from '@/lib/browser/session/api';
import { setPageAccount } from '@/lib/browser/session/page-account';
import { broadcast } from '@/lib/browser/session/tab-sync';
import type { AuthErrorCode } from './error-codes';
import { emitSignIn, type LoginMode } from './events';
import { rememberMethod } from './last-method';
import { keepMethodToConfirm } from './method-to-confirm';
import { forgetPendingLink, getPendingLink } from './pending-link';
import { rememberProvider } from '../provider/provider-memory';
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
  if (!result.ok)
    return (await redirectToRequiredStep(env, user, method, result.code)) ? null : toSignInFailure(result);
  goToCallback(env);
  return null;
}

/** If a link is pending, links the new method before the session is opened; if linking fails, sign-in fails too. */
async function completeLink(env: PublicEnv, user: User): Promise<SignInFailure | 'linked' | null> {
  const link = getPendingLink();
  if (link === null) return null;
  const { linkPendingTo } = await import('./linking');
  const code = await linkPendingTo(user, link);
  // Another user's account: keep the link, since the right user can still sign in.
  if (code !== 'auth/link/invalid-email-for-link') forgetPendingLink();
  if (code === null) return 'linked';
  // Nothing is linked to an unverified account, but sign-in continues to its confirmation code.
  if (code === 'auth/email-not-verified') return null;
  await signOutOfFirebase(env);
  return { code, retryAfter: null };
}

/** Opens the session without a redirect. */
export async function openSession(
  env: PublicEnv,
  user: User,
  method: string,
  mode: LoginMode = 'signIn',
): Promise<ApiResult<unknown>> {
  const token = await user.getIdToken();
  await limitPersistenceToTab(env);
  const result = await createUserSession(token);
  if (result.ok) announceSignIn(user, method, mode);
  return result;
}

/** Remembers the method in this browser, and tells other tabs and analytics that a session was opened. */
export function announceSignIn(user: User, method: string, mode: LoginMode): void {
  setPageAccount(user.uid);
  rememberProvider();
  rememberMethod(method);
  broadcast('signed-in');
  // Run after the redirect has started, so that listeners do not delay it.
  setTimeout(() => emitSignIn({ user, method, mode }));
}

/** @returns whether the user is being redirected to a required step */
async function redirectToRequiredStep(env: PublicEnv, user: User, method: string, code: string): Promise<boolean> {
  switch (code) {
    case 'email-not-verified': {
      const answer = await requestConfirmation(await user.getIdToken());
      if (!answer.ok) return false;
      keepMethodToConfirm(user.email ?? '', method);
      window.location.assign(pathWithFlow(paths.registrationConfirm, answer.data.flow));
      return true;
    }
    case 'legacy-reset-required':
      writeCookie('legacyUserStatus', 'legacy', env.mainDomain);
      // In-app: without storage, the user signed in at the identity provider is known only to this document.
      await Router.push(paths.firstLoginReset);
      return true;
    case 'legacy-sign-in-required':
      if (env.legacySignInUrl === null) return false;
      writeCookie('legacyUserStatus', 'legacy', env.mainDomain);
      window.location.assign(env.legacySignInUrl);
      return true;
    default:
      return false;
  }
}

/** Maps a failed call of our API to the learner's message. A code without one is reported (docs/product.md#error-codes). */
export function toSignInFailure(result: Extract<ApiResult<unknown>, { ok: false }>): SignInFailure {
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
