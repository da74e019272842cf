import { postJson, type ApiResult } from '@/lib/browser/api-client';
import type { PasskeySignal } from '@/lib/shared/account/passkeys';
import type { ScheduledDeletion } from '@/lib/shared/account/security';
import { sessionApiPaths } from '@/lib/shared/api-paths';
import { paths } from '@/lib/shared/paths';
import type { SessionStatus } from '@/lib/shared/session-contract';

/** `signal`: of the account's passkeys, where it has or had some; `secondFactorFrom`: the day from which the account needs a second
 * factor; `deletionAt`: when the account is deleted. */
export type OpenedSession = { signal?: PasskeySignal; secondFactorFrom?: string } & ScheduledDeletion;

/** Opens a session from the identity provider's ID token (docs/product.md#calls). `data`: null for an unreadable response. */
export const createUserSession = (token: string) =>
  postJson<OpenedSession | null>(sessionApiPaths.createUserSession, { token });

/** Renews the session of this browser; `not-found`: only an ID token does. */
export const renewUserSession = () => postJson(sessionApiPaths.renewUserSession);

/**
 * Sends a confirmation code by email to a user who gets no session until the email address is confirmed.
 * @param token the user's ID token
 */
export const requestConfirmation = (token: string) =>
  postJson<{ flow?: string }>(sessionApiPaths.requestConfirmation, { token });

/** Checks whether the session is live: only status 200 means signed in, 401 means signed out. */
export async function checkAuthStatus(): Promise<ApiResult<SessionStatus>> {
  return parseSession(await postJson(sessionApiPaths.checkAuthStatus));
}

/** A captive portal's 200 must not count as a live session. */
export function parseSession(result: ApiResult<unknown>): ApiResult<SessionStatus> {
  if (!result.ok) return result;
  const { status, data } = result;
  if (status === 200 && isSession(data)) return { ok: true, status, data };
  return { ok: false, code: 'unreadable', status, retryAfter: null, triesLeft: null };
}

/** The fields this app uses; the server has validated the response with `sessionStatusSchema`. */
function isSession(data: unknown): data is SessionStatus {
  if (typeof data !== 'object' || data === null) return false;
  const { uid, expiresAt, refreshAfter } = data as Partial<Record<keyof SessionStatus, unknown>>;
  return [uid, expiresAt, refreshAfter].every((value) => typeof value === 'string');
}

/**
 * Where a sign-out leads: websites that it did not reach are named by a page.
 * @param result of its call
 */
export function getNextAfterSignOut({ data }: { data: unknown }, otherwise: string = paths.signIn): string {
  const { signedOutPage } = Object(data) as { signedOutPage?: unknown };
  return typeof signedOutPage === 'string' && signedOutPage.startsWith(`${paths.signOut}?`) ? signedOutPage : otherwise;
}

/** Ends the session on the server; sent after the identity provider's own sign-out. */
export const initiateLogout = () => postJson(sessionApiPaths.initiateLogout);

/** Ends the session and removes every cookie with personal data, including those that scripts cannot read. */
export const requestClearDevice = () => postJson(sessionApiPaths.clearDevice);
