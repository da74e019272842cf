import { fetchIdToken } from '@/lib/browser/auth/provider/provider-session';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { getServerTime } from '@/lib/browser/api-client';
import { createUserSession, renewUserSession } from './api';
import type { SessionStatus } from '@/lib/shared/session-contract';

let underWay: Promise<void> | undefined;

/** Whether the session is due for renewal. @param now milliseconds since 1970 */
export function isRenewalDue(session: SessionStatus, now: number): boolean {
  return Date.parse(session.refreshAfter) <= now;
}

/** Renews the session once it is due, one attempt at a time. Failures are retried at the next check. */
export async function renewSessionWhenDue(env: PublicEnv, session: SessionStatus): Promise<void> {
  if (!isRenewalDue(session, getServerTime())) return;
  underWay ??= renewOnServer()
    .then((renewal) => (renewal === 'token-required' ? renewByToken(env, session.uid) : undefined))
    .finally(() => (underWay = undefined));
  return underWay;
}

/** `token-required`: only an ID token can renew the session. `sign-in-required`: only a new sign-in can continue it. */
export type ServerRenewal = 'renewed' | 'token-required' | 'sign-in-required' | 'failed';

/** Renews the session from its record on the server. */
export async function renewOnServer(): Promise<ServerRenewal> {
  const result = await renewUserSession();
  if (result.ok) return 'renewed';
  if (result.code === 'not-found') return 'token-required';
  return result.code === 'recent-login-required' || result.status === 401 ? 'sign-in-required' : 'failed';
}

/**
 * Renews the session with a fresh ID token, if its user is signed in at the identity provider in this browser. It never
 * throws, because the provider may be unavailable or have revoked the sign-in.
 */
export async function renewByToken(env: PublicEnv, uid: string): Promise<void> {
  try {
    const token = await fetchIdToken(env, uid);
    if (token !== null) await createUserSession(token);
  } catch (error) {
    reportError(error, { during: 'session renewal' });
  }
}
