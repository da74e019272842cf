import { fetchIdToken } from '@/lib/browser/auth/provider/provider-session';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { getServerTime } from '@/lib/browser/server-time';
import { createUserSession } from './api';
import type { SessionStatus } from '@/lib/shared/session-contract';

let underWay: Promise<void> | undefined;

/** Whether the session is due for renewal. @param now milliseconds since 1970 */
export function isRenewalDue(session: SessionStatus, now: number): boolean {
  return Date.parse(session.refreshAfter) <= now;
}

/**
 * Renews the session with a fresh ID token once it is due; one attempt at a time, failures are retried at the next
 * check.
 */
export function renewSessionWhenDue(env: PublicEnv, session: SessionStatus): Promise<void> {
  return isRenewalDue(session, getServerTime()) ? renewSession(env) : Promise.resolve();
}

/** Renews the session with a fresh ID token; one attempt at a time. */
export function renewSession(env: PublicEnv): Promise<void> {
  underWay ??= renew(env).finally(() => {
    underWay = undefined;
  });
  return underWay;
}

async function renew(env: PublicEnv): Promise<void> {
  try {
    const token = await fetchIdToken(env);
    if (token !== null) await createUserSession(token);
  } catch (error) {
    reportError(error, { during: 'session renewal' });
  }
}
