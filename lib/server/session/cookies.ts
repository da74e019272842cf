import { setCookieHeader, clearCookieHeader } from '@/lib/cookies/server';
import type { CookieKey } from '@/lib/cookies/table';

export type SessionIdentity = { cookie: string; sid: string; uid: string; accessLevel: string; legacyStatus: string };

/** `Set-Cookie` values of a session just opened (product decisions, 3). */
export function openedSessionCookies(session: SessionIdentity, mainDomain: string): string[] {
  const values: [CookieKey, string][] = [
    ['session', session.cookie],
    ['loggedIn', '1'],
    ['userId', session.uid],
    ['sessionId', session.sid],
    ['accessLevel', session.accessLevel],
    ['legacyUserStatus', session.legacyStatus],
  ];
  return values.map(([key, value]) => setCookieHeader(key, value, mainDomain));
}

/** `Set-Cookie` values after sign-out: nothing stays but the word that nobody is signed in. */
export function endedSessionCookies(mainDomain: string): string[] {
  const gone: CookieKey[] = ['session', 'userId', 'sessionId', 'accessLevel'];
  return [...gone.map((key) => clearCookieHeader(key, mainDomain)), signedOutCookie(mainDomain)];
}

/** `kk_logged_in=0`. */
export function signedOutCookie(mainDomain: string): string {
  return setCookieHeader('loggedIn', '0', mainDomain);
}

const DEFAULT_ACCESS_LEVEL = 'standard';

/** The account's access level: the custom claim `accessLevel`, else `standard`. */
export function accessLevelOf(claims: Record<string, unknown> | undefined): string {
  const level = claims?.accessLevel;
  return typeof level === 'string' && /^[\w.-]{1,64}$/.test(level) ? level : DEFAULT_ACCESS_LEVEL;
}
