import { freshIdToken } from '@/lib/auth/provider-session';
import type { PublicEnv } from '@/lib/config/public-env';
import { reportError } from '@/lib/sentry/report';
import { createUserSession } from './client';
import type { SessionStatus } from './contract';

let underWay: Promise<void> | undefined;

/** Whether the session is due to be created anew. @param now milliseconds since 1970 */
export function isRenewalDue(session: SessionStatus, now: number): boolean {
  return Date.parse(session.refreshAfter) <= now;
}

/** Creates the session anew from a fresh ID token once it is due; one attempt at a time, failures wait for the next check. */
export function renewSessionWhenDue(env: PublicEnv, session: SessionStatus): Promise<void> {
  return isRenewalDue(session, Date.now()) ? renewSession(env) : Promise.resolve();
}

/** Creates the session anew from a fresh ID token; one attempt at a time. */
export function renewSession(env: PublicEnv): Promise<void> {
  underWay ??= renew(env).finally(() => {
    underWay = undefined;
  });
  return underWay;
}

async function renew(env: PublicEnv): Promise<void> {
  try {
    const token = await freshIdToken(env);
    if (token !== null) await createUserSession(token);
  } catch (error) {
    reportError(error, { during: 'session renewal' });
  }
}
