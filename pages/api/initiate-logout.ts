import { apiRoute } from '@/lib/server/http';
import { endSessionByCall } from '@/lib/server/oidc';
import { bySession, buildEndedSessionCookies } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/**
 * Ends the session, including copies of its cookie (docs/product.md#calls). It succeeds without a session, too. Every
 * page that may end the session may read the response. Otherwise the browser would report a failure to a page that has
 * signed the user out.
 */
export default apiRoute(
  {
    method: 'POST',
    stateChanging: true,
    limit: bySession('end-session'),
    clears: buildEndedSessionCookies,
    audience: 'main-domain',
  },
  ({ req }) => endSessionByCall(req),
);
