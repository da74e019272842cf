import type { User } from 'firebase/auth';
import { requestConfirmation } from '@/lib/account/calls';
import type { ApiAnswer } from '@/lib/api/client';
import { goToCallback } from '@/lib/callback/browser';
import type { PublicEnv } from '@/lib/config/public-env';
import { keepsCookies, writeCookie } from '@/lib/cookies/browser';
import { paths } from '@/lib/paths';
import { createUserSession } from '@/lib/session/client';
import { tellOtherTabs } from '@/lib/session/tab-sync';
import type { AuthErrorCode } from './error-codes';
import { announceEntry, type LoginMode } from './events';
import { rememberMethod } from './last-method';
import { forgetPendingLink, pendingLink } from './pending-link';
import { rememberProvider } from './provider-memory';
import { keepProviderToTab, leaveProvider } from './provider-session';

/** Why somebody did not get in, with the seconds until another try where the server named them. */
export type EntryFailure = { code: AuthErrorCode; retryAfter: number | null };

/**
 * The last step of every way in: opens the session for a person the identity provider has recognised, and hands them
 * over to their callback; or to what they must do first (product decisions, 6).
 * @param method the provider id that was used, marked next time on this device
 * @param mode what led here; linking on the way says so by itself
 * @returns null when the hand-over is under way
 */
export async function enter(
  env: PublicEnv,
  user: User,
  method: string,
  mode: LoginMode = 'signIn',
): Promise<EntryFailure | null> {
  // The session would be gone with the next page, and the learner would be sent back and forth.
  if (!keepsCookies(env.mainDomain)) return { code: 'auth/cookies-off', retryAfter: null };
  const linked = await completeLink(env, user);
  if (linked !== null && linked !== 'linked') return linked;
  const answer = await openSession(env, user, method, linked === 'linked' ? 'link' : mode);
  if (!answer.ok) return (await detour(env, user, answer.code)) ? null : entryFailureOf(answer);
  goToCallback(env);
  return null;
}

/** In the middle of linking, the new method is linked before anything else; who cannot link is not let in either. */
async function completeLink(env: PublicEnv, user: User): Promise<EntryFailure | 'linked' | null> {
  const link = pendingLink();
  if (link === null) return null;
  const { linkPendingTo } = await import('./linking');
  const code = await linkPendingTo(user, link);
  // Somebody else's account: the right person may still come.
  if (code !== 'auth/link/invalid-email-for-link') forgetPendingLink();
  if (code === null) return 'linked';
  await leaveProvider(env);
  return { code, retryAfter: null };
}

/** Opens the session, and stays on the page. */
export async function openSession(
  env: PublicEnv,
  user: User,
  method: string,
  mode: LoginMode = 'signIn',
): Promise<ApiAnswer<unknown>> {
  const token = await user.getIdToken();
  await keepProviderToTab(env);
  const answer = await createUserSession(token);
  if (answer.ok) noteEntry(user, method, mode);
  return answer;
}

/** What this browser notes when a session has been opened. */
export function noteEntry(user: User, method: string, mode: LoginMode): void {
  rememberProvider();
  rememberMethod(method);
  tellOtherTabs('signed-in');
  // After the hand-over has begun: whoever listens takes no time from it.
  setTimeout(() => announceEntry({ user, method, mode }));
}

/** @returns whether the person is on the way to something that has to be done before */
async function detour(env: PublicEnv, user: User, code: string): Promise<boolean> {
  switch (code) {
    case 'email-not-verified': {
      if (!(await requestConfirmation(await user.getIdToken())).ok) return false;
      window.location.assign(paths.registrationConfirm);
      return true;
    }
    case 'legacy-reset-required':
      writeCookie('legacyUserStatus', 'legacy', env.mainDomain);
      window.location.assign(paths.firstLoginReset);
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

export function entryFailureOf(answer: Extract<ApiAnswer<unknown>, { ok: false }>): EntryFailure {
  return { code: CODES[answer.code] ?? 'unknown', retryAfter: answer.retryAfter };
}

const CODES: Partial<Record<string, AuthErrorCode>> = {
  network: 'auth/network-request-failed',
  'provider-unavailable': 'auth/session-unavailable',
  'too-many-requests': 'auth/too-many-requests',
  'user-disabled': 'auth/user-disabled',
  'email-not-verified': 'auth/email-not-verified',
  'invalid-enterprise-domain': 'auth/invalid-enterprise-domain',
  'recent-login-required': 'auth/requires-recent-login',
};
