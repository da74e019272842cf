import { ApiProblem } from '@/lib/api/problem';
import { env } from '@/lib/config/env';
import { apiRoute } from '@/lib/server/api';
import { sessionCookieOf } from '@/lib/server/session';
import { customTokenFor, proveSession } from '@/lib/server/session/custom-token';

export const config = { api: { bodyParser: false } };

/** A custom token for the person of the live session, for a browser in which the identity provider knows nobody. */
export default apiRoute(
  { method: 'POST', stateChanging: true, audience: 'own', limit: 'auto-sign-in' },
  async ({ req }) => {
    if (env().SESSION_BACKEND === 'upstream') throw new ApiProblem('not-found');
    const cookie = sessionCookieOf(req);
    if (cookie === null) throw new ApiProblem('session-required');
    return { customToken: await customTokenFor(await proveSession(cookie)) };
  },
);
