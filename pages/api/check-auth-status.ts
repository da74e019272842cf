import { ApiProblem } from '@/lib/api/problem';
import { env } from '@/lib/config/env';
import { appendCookies } from '@/lib/cookies/server';
import { apiRoute } from '@/lib/server/api';
import { requireSession } from '@/lib/server/session';
import { signedOutCookie } from '@/lib/server/session/cookies';

export const config = { api: { bodyParser: false } };

/** Says who is signed in: 200 for a live session and for nothing else (specification, section 7). */
export default apiRoute({ method: 'POST', stateChanging: false }, async ({ req, res }) => {
  try {
    return (await requireSession(req)).status;
  } catch (error) {
    // The session cookie itself stays: a newer one may be on its way, and this answer must not take it away.
    if (error instanceof ApiProblem && error.status === 401) {
      appendCookies(res, [signedOutCookie(env().NEXT_PUBLIC_MAIN_DOMAIN)]);
    }
    throw error;
  }
});
