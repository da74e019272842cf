import { ApiProblem } from '@/lib/api/problem';
import { env } from '@/lib/config/env';
import { appendCookies } from '@/lib/cookies/server';
import { apiRoute } from '@/lib/server/api';
import { requireSession, revokeAllSessions, sessionBackend, sessionCookieOf } from '@/lib/server/session';
import { endedSessionCookies } from '@/lib/server/session/cookies';

export const config = { api: { bodyParser: false } };

/** Ends every session of the account, this one included. */
export default apiRoute(
  { method: 'POST', stateChanging: true, audience: 'own', limit: 'end-session' },
  async ({ req, res }) => {
    const { SESSION_BACKEND, NEXT_PUBLIC_MAIN_DOMAIN: domain } = env();
    if (SESSION_BACKEND === 'upstream') throw new ApiProblem('not-found');
    const { status } = await requireSession(req);
    await revokeAllSessions(status.uid);
    // The provider counts whole seconds; a session of this very second is ended by name.
    await sessionBackend().end(sessionCookieOf(req) ?? '');
    appendCookies(res, endedSessionCookies(domain));
  },
);
