import { isApiProblem } from '@/lib/shared/problem';
import { env } from '@/lib/server/runtime';
import { appendCookies, apiRoute } from '@/lib/server/http';
import { requireSession, getSessionCookie, buildSignedOutCookie } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/** Returns the signed-in user: 200 only for a live session (docs/product.md#calls). */
export default apiRoute({ method: 'POST', stateChanging: false }, async ({ req, res }) => {
  try {
    return (await requireSession(req)).status;
  } catch (error) {
    // Without a session cookie, set nothing: a cross-site form sends no cookie and must not change the browser's state.
    // Never clear the session cookie here: a concurrent response may have set a newer one.
    if (isApiProblem(error) && error.status === 401 && getSessionCookie(req) !== null) {
      appendCookies(res, [buildSignedOutCookie(env().NEXT_PUBLIC_MAIN_DOMAIN)]);
    }
    throw error;
  }
});
