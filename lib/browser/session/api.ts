import { postJson, type ApiResult } from '@/lib/browser/api-client';
import { apiPaths } from '@/lib/shared/paths';
import type { SessionStatus } from '@/lib/shared/session-contract';

/** Opens a session from the identity provider's ID token (docs/product.md#calls). */
export function createUserSession(token: string): Promise<ApiResult<unknown>> {
  return postJson(apiPaths.createUserSession, { token });
}

/** Renews the session of this browser; `not-found`: only an ID token does. */
export function renewUserSession(): Promise<ApiResult<unknown>> {
  return postJson(apiPaths.renewUserSession);
}

/**
 * Sends a confirmation code by email to a user who gets no session until the email address is confirmed.
 * @param token the user's ID token
 */
export function requestConfirmation(token: string): Promise<ApiResult<{ flow?: string }>> {
  return postJson(apiPaths.requestConfirmation, { token });
}

/** Checks whether the session is live: only status 200 means signed in, 401 means signed out. */
export async function checkAuthStatus(): Promise<ApiResult<SessionStatus>> {
  return parseSession(await postJson(apiPaths.checkAuthStatus));
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

/** Ends the session on the server; sent after the identity provider's own sign-out. */
export function initiateLogout(): Promise<ApiResult<unknown>> {
  return postJson(apiPaths.initiateLogout);
}

/** Ends the session and removes every cookie with personal data, including those that scripts cannot read. */
export function requestClearDevice(): Promise<ApiResult<unknown>> {
  return postJson(apiPaths.clearDevice);
}
