import { postJson, type ApiAnswer } from '@/lib/api/client';
import { apiPaths } from '@/lib/paths';
import type { SessionStatus } from './contract';

/** Opens a session from the identity provider's ID token (specification, section 7). */
export function createUserSession(token: string): Promise<ApiAnswer<unknown>> {
  return postJson(apiPaths.createUserSession, { token });
}

/** Asks whether the session is live: only status 200 means signed in, 401 means not. */
export function checkAuthStatus(): Promise<ApiAnswer<SessionStatus>> {
  return postJson<SessionStatus>(apiPaths.checkAuthStatus);
}

/** Ends the session on the server; sent after the identity provider's own sign-out. */
export function initiateLogout(): Promise<ApiAnswer<unknown>> {
  return postJson(apiPaths.initiateLogout);
}
