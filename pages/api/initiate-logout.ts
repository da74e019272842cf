import { appendCookies, apiRoute } from '@/lib/server/http';
import { findLeftClients, toSignedOut } from '@/lib/server/oidc';
import { endSession, buildEndedSessionCookies } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/**
 * Ends the session, also for copies of its cookie (docs/product.md#calls). Succeeds without a session, too. Every page that
 * may end it may read the response: otherwise the browser reports a failure to a page that has signed the user out.
 */
const options = { method: 'POST', stateChanging: true, limit: 'end-session', audience: 'main-domain' } as const;

export default apiRoute(options, async ({ req, res }) => {
  // Clear the cookies first: it must work even when the session backend is unreachable.
  appendCookies(res, buildEndedSessionCookies(req));
  // The end of the session deletes the list of its clients.
  const left = await findLeftClients(req);
  await endSession(req);
  return toSignedOut(left);
});
