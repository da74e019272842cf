import { ApiProblem } from '@/lib/shared/problem';
import { ownRoute, appendCookies, applySharedComputerExpiry } from '@/lib/server/http';
<<<<<<< HEAD
import { bySession, getSessionBackend, getSessionCookie, toSessionRequest } from '@/lib/server/session';
=======
import { getSessionBackend, getSessionCookie, settleSessionCookie, toSessionRequest } from '@/lib/server/session';
>>>>>>> 589dc1ff833096758c006d90e253546fedc43386

export const config = { api: { bodyParser: false } };

/** Renews the live session of the browser that it was opened in, from its record (docs/product.md#session). */
<<<<<<< HEAD
export default ownRoute({ limit: bySession('renew-session') }, async ({ req, res }) => {
=======
export default ownRoute({ limit: 'renew-session' }, async ({ req, res }) => {
  await settleSessionCookie(req);
>>>>>>> 589dc1ff833096758c006d90e253546fedc43386
  const cookie = getSessionCookie(req);
  if (cookie === null) throw new ApiProblem('session-required');
  const { cookies } = await getSessionBackend().renew(cookie, toSessionRequest(req));
  appendCookies(res, applySharedComputerExpiry(req, cookies));
});
