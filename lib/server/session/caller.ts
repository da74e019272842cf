import type { CallerLimit, RequestWithCookies } from '@/lib/server/http';
import { env } from '@/lib/server/runtime';
import type { LimitName } from '@/lib/server/storage';
import { isApiProblem } from '@/lib/shared/problem';
import { readDevice } from './request';
import { getSessionBackend, getSessionCookie, settleSessionCookie } from './require-session';
import { getSessionId, verifyCookie } from './tokens';

/**
 * Counts a call by its session, in the browser that opened the session. Other calls count by client address: calls
 * without a session, or with a forged, ended or copied cookie. So neither a neighbor nor a thief of the cookie can use
 * up the owner's calls.
 * @param name the limit by client address
 */
export function bySession(name: LimitName): CallerLimit {
  return {
    name,
    identify: async ({ req }) => {
      const key = await findOwnSession(req);
      return key === null ? null : { limit: 'calls-of-session', key };
    },
  };
}

/**
 * Returns a key of the request's session in its own browser, which does not change with a renewal. Null without such a
 * session, and if that cannot be decided.
 */
async function findOwnSession(req: RequestWithCookies): Promise<string | null> {
  try {
    await settleSessionCookie(req);
    const cookie = getSessionCookie(req);
    if (cookie === null) return null;
    return (await requireOwn(cookie, req)) ?? getSessionId(cookie);
  } catch (error) {
    if (isApiProblem(error)) return null;
    throw error;
  }
}

/**
 * @returns the id of the session in the records, or null without a record
 * @throws ApiProblem if the session is not live, or belongs to another browser
 */
async function requireOwn(cookie: string, req: RequestWithCookies): Promise<string | null> {
  const backend = getSessionBackend();
  if (env().SESSION_BACKEND === 'upstream') {
    await backend.check(cookie);
    return null;
  }
  const { uid } = await verifyCookie(cookie);
  try {
    return await backend.requireOwnBrowser(uid, { sessionCookie: cookie, device: readDevice(req) });
  } catch (error) {
    // The database knows the browser. While it is unavailable, a genuine cookie is sufficient.
    if (!isApiProblem(error) || error.code !== 'records-unavailable') throw error;
    return null;
  }
}
