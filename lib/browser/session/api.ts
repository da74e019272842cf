import { postJson, type ApiResult } from '@/lib/browser/api-client';
import type { PasskeySignal } from '@/lib/shared/account/passkeys';
import type { ScheduledDeletion } from '@/lib/shared/account/security';
import { sessionApiPaths } from '@/lib/shared/api-paths';
import type { NotificationKey } from '@/lib/shared/page-notifications';
import { paths, pathWithReturn } from '@/lib/shared/paths';
import type { SessionStatus } from '@/lib/shared/session-contract';

/**
 * `signal`: the account's passkeys, if it has or had some. `secondFactorFrom`: the day from which the account needs a second
 * factor. `deletionAt`: when the account will be deleted.
 */
export type OpenedSession = { signal?: PasskeySignal; secondFactorFrom?: string } & ScheduledDeletion;

/** Opens a session with the identity provider's ID token (docs/product.md#calls). `data` is null for an unreadable response. */
export const createUserSession = (token: string) =>
  postJson<OpenedSession | null>(sessionApiPaths.createUserSession, { token });

/** Renews the session of this browser. `not-found` means that only an ID token can renew it. */
export const renewUserSession = () => postJson(sessionApiPaths.renewUserSession);

/**
 * Emails a confirmation code to a user who gets no session before the email address is confirmed.
 * @param token the user's ID token
 */
export const requestConfirmation = (token: string) =>
  postJson<{ flow?: string }>(sessionApiPaths.requestConfirmation, { token });

/** Checks whether the session is live. Only status 200 means signed in, and only 401 means signed out. */
export async function checkAuthStatus(): Promise<ApiResult<SessionStatus>> {
  return parseSession(await postJson(sessionApiPaths.checkAuthStatus));
}

/** Parses the response, because a captive portal's 200 must not count as a live session. */
export function parseSession(result: ApiResult<unknown>): ApiResult<SessionStatus> {
  if (!result.ok) return result;
  const { status, data } = result;
  if (status === 200 && isSession(data)) return { ok: true, status, data };
  return { ok: false, code: 'unreadable', status, retryAfter: null, triesLeft: null };
}

/** The fields that this app uses. The server has validated the response with `sessionStatusSchema`. */
function isSession(data: unknown): data is SessionStatus {
  if (typeof data !== 'object' || data === null) return false;
  const { uid, expiresAt, refreshAfter } = data as Partial<Record<keyof SessionStatus, unknown>>;
  return [uid, expiresAt, refreshAfter].every((value) => typeof value === 'string');
}

/**
 * Returns the page after a sign-out. It names websites where the user is still signed in.
 * @param result result of the sign-out call
 * @param notification what the sign-in page says
 */
export function getNextAfterSignOut({ data }: { data: unknown }, notification: NotificationKey): string {
  const { signedOutPage } = Object(data) as { signedOutPage?: unknown };
  return typeof signedOutPage === 'string' && signedOutPage.startsWith(`${paths.signOut}?`)
    ? signedOutPage
    : pathWithReturn(null, notification);
}

/** Ends the session on the server. Call it after the identity provider's sign-out. */
export const initiateLogout = () => postJson(sessionApiPaths.initiateLogout);

/** Ends the session and removes every cookie with personal data, including those that scripts cannot read. */
export const requestClearDevice = () => postJson(sessionApiPaths.clearDevice);
