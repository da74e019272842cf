import { ApiProblem } from '@/lib/shared/problem';
import { ownRoute, appendCookies, applySharedComputerExpiry } from '@/lib/server/http';
import {
  bySession,
  getSessionBackend,
  getSessionCookie,
  settleSessionCookie,
  toSessionRequest,
} from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/** Renews the live session in the browser that opened it, from its record (docs/product.md#session). */
export default ownRoute({ limit: bySession('renew-session') }, async ({ req, res }) => {
  await settleSessionCookie(req);
  const cookie = getSessionCookie(req);
  if (cookie === null) throw new ApiProblem('session-required');
  const { cookies } = await getSessionBackend().renew(cookie, toSessionRequest(req));
  appendCookies(res, applySharedComputerExpiry(req, cookies));
});
