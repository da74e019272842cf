import { env } from '@/lib/config/env';
import { appendCookies } from '@/lib/cookies/server';
import { apiRoute } from '@/lib/server/api';
import { sessionBackend, sessionCookieOf } from '@/lib/server/session';
import { endedSessionCookies } from '@/lib/server/session/cookies';

export const config = { api: { bodyParser: false } };

/** Ends the session, here and for whoever kept its cookie (specification, section 7). Fine without a session, too. */
export default apiRoute({ method: 'POST', stateChanging: true, limit: 'end-session' }, async ({ req, res }) => {
  // First of all this browser forgets, even when the other side cannot be reached.
  appendCookies(res, endedSessionCookies(env().NEXT_PUBLIC_MAIN_DOMAIN));
  const cookie = sessionCookieOf(req);
  if (cookie !== null) await sessionBackend().end(cookie);
});
