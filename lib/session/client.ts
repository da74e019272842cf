import { postJson, type ApiAnswer } from '@/lib/api/client';
import { apiPaths } from '@/lib/paths';
import type { SessionStatus } from './contract';

/** Opens a session from the identity provider's ID token (specification, section 7). */
export function createUserSession(token: string): Promise<ApiAnswer<unknown>> {
  return postJson(apiPaths.createUserSession, { token });
}

/** Asks whether the session is live: only status 200 means signed in, 401 means not. */
export async function checkAuthStatus(): Promise<ApiAnswer<SessionStatus>> {
  return asSession(await postJson(apiPaths.checkAuthStatus));
}

/** A friendly word of somebody in between, such as a network's own sign-in page, says nothing of the session. */
export function asSession(answer: ApiAnswer<unknown>): ApiAnswer<SessionStatus> {
  if (!answer.ok) return answer;
  const { status, data } = answer;
  if (status === 200 && isSession(data)) return { ok: true, status, data };
  return { ok: false, code: 'unreadable', status, retryAfter: null, triesLeft: null };
}

/** What this app leans on; the server has checked the rest with the schema of ./contract. */
function isSession(data: unknown): data is SessionStatus {
  if (typeof data !== 'object' || data === null) return false;
  const { uid, expiresAt, refreshAfter } = data as Partial<Record<keyof SessionStatus, unknown>>;
  return [uid, expiresAt, refreshAfter].every((value) => typeof value === 'string');
}

/** Ends the session on the server; sent after the identity provider's own sign-out. */
export function initiateLogout(): Promise<ApiAnswer<unknown>> {
  return postJson(apiPaths.initiateLogout);
}
