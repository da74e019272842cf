import { env } from '@/lib/server/runtime/config/env';
import { appendCookies } from '@/lib/server/http/cookies';
import { apiRoute } from '@/lib/server/http/api-route';
import { endSession } from '@/lib/server/session/require-session';
import { buildClearedDeviceCookies } from '@/lib/server/session/cookies';

export const config = { api: { bodyParser: false } };

/** Ends the session and removes every cookie of a user. Scripts cannot do this: half of the cookies are HttpOnly. */
export default apiRoute(
  { method: 'POST', stateChanging: true, limit: 'end-session', audience: 'own' },
  async ({ req, res }) => {
    // Clear the browser first: it must hold even when the provider is unreachable.
    appendCookies(res, buildClearedDeviceCookies(req, env().NEXT_PUBLIC_MAIN_DOMAIN));
    await endSession(req);
  },
);
