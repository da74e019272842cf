import {
  buildClearCookie,
  buildClearFlowCookie,
  buildClearPlainCookies,
  buildClearStrayCookies,
  buildSetCookie,
  buildSetSessionCookie,
  getFlowCookies,
  isSharedComputer,
  type RequestCookies,
  type SessionCookie,
} from '@/lib/server/http';
import { flowCookies, hostCookies, personalCookies, type CookieKey } from '@/lib/shared/cookie-table';

export type SessionIdentity = {
  cookie: SessionCookie;
  sid: string;
  uid: string;
  accessLevel: string;
  legacyStatus: string;
};

/** Builds the `Set-Cookie` values of a new session (docs/product.md#session). */
export function buildSessionCookies(session: SessionIdentity): string[] {
  const values: [Exclude<CookieKey, 'session'>, string][] = [
    ['loggedIn', '1'],
    ['userId', session.uid],
    ['sessionId', session.sid],
    ['accessLevel', session.accessLevel],
    ['legacyUserStatus', session.legacyStatus],
  ];
  return [buildSetSessionCookie(session.cookie), ...values.map(([key, value]) => buildSetCookie(key, value))];
}

/**
 * Builds the `Set-Cookie` values after a sign-out. The signed-out marker stays, and so does the browser's secret unless
 * the computer is shared.
 */
export function buildEndedSessionCookies(req: RequestCookies): string[] {
  const cleared: CookieKey[] = ['session', 'userId', 'sessionId', 'accessLevel', 'pendingSignIn'];
  if (isSharedComputer(req)) cleared.push('device');
  return [...cleared.map((key) => buildClearCookie(key)), ...buildClearStrayCookies('session'), buildSignedOutCookie()];
}

/**
 * Builds `Set-Cookie` values that delete all personal data from this browser, whatever it sent, including HttpOnly
 * cookies and cookies of flows.
 */
export function buildClearedDeviceCookies(req: RequestCookies): string[] {
  const cleared = personalCookies().filter((key) => key !== 'loggedIn');
  const flows = flowCookies.flatMap((key) => getFlowCookies(req, key).map(({ flow }) => ({ key, flow })));
  return [
    ...cleared.map((key) => buildClearCookie(key)),
    ...hostCookies.flatMap((key) => buildClearPlainCookies(key)),
    ...buildClearStrayCookies('session'),
    ...flows.map(({ key, flow }) => buildClearFlowCookie(key, flow)),
    buildSignedOutCookie(),
  ];
}

/** Builds `kk_logged_in=0`, which signals to the platform without a request that no user is signed in. */
export function buildSignedOutCookie(): string {
  return buildSetCookie('loggedIn', '0');
}
