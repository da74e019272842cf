import type { User } from 'firebase/auth';
import type { ApiAnswer } from '@/lib/api/client';
import { goToCallback } from '@/lib/callback/browser';
import type { PublicEnv } from '@/lib/config/public-env';
import { createUserSession } from '@/lib/session/client';
import { tellOtherTabs } from '@/lib/session/tab-sync';
import type { AuthErrorCode } from './error-codes';
import { announceEntry } from './events';
import { rememberMethod } from './last-method';
import { forgetPendingLink, pendingLink } from './pending-link';
import { leaveProvider, rememberProvider } from './provider-session';

/** Why somebody did not get in, with the seconds until another try where the server named them. */
export type EntryFailure = { code: AuthErrorCode; retryAfter: number | null };

/**
 * The last step of every way in: opens the session for a person the identity provider has recognised, and hands them
 * over to their callback.
 * @param method the provider id that was used, marked next time on this device
 * @returns null when the hand-over is under way
 */
export async function enter(env: PublicEnv, user: User, method: string): Promise<EntryFailure | null> {
  const unlinked = await completeLink(env, user);
  if (unlinked) return unlinked;
  const answer = await createUserSession(await user.getIdToken());
  if (!answer.ok) return failureOf(answer);
  rememberProvider();
  rememberMethod(method);
  tellOtherTabs('signed-in');
  announceEntry({ user, method });
  goToCallback(env);
  return null;
}

/** In the middle of linking, the new method is linked before anything else; who cannot link is not let in either. */
async function completeLink(env: PublicEnv, user: User): Promise<EntryFailure | null> {
  const link = pendingLink();
  if (link === null) return null;
  const { linkPendingTo } = await import('./linking');
  const code = await linkPendingTo(user, link);
  // Somebody else's account: the right person may still come.
  if (code !== 'auth/link/invalid-email-for-link') forgetPendingLink();
  if (code === null) return null;
  await leaveProvider(env);
  return { code, retryAfter: null };
}

function failureOf(answer: Extract<ApiAnswer<unknown>, { ok: false }>): EntryFailure {
  return { code: CODES[answer.code] ?? 'unknown', retryAfter: answer.retryAfter };
}

const CODES: Partial<Record<string, AuthErrorCode>> = {
  network: 'auth/network-request-failed',
  'provider-unavailable': 'auth/session-unavailable',
  'too-many-requests': 'auth/too-many-requests',
  'user-disabled': 'auth/user-disabled',
  'email-not-verified': 'auth/email-not-verified',
  'invalid-enterprise-domain': 'auth/invalid-enterprise-domain',
};
