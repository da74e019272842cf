import { apiRoute } from '@/lib/server/http';
import { endSessionByCall } from '@/lib/server/oidc';
import { bySession, buildEndedSessionCookies } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/**
 * Ends the session, also for copies of its cookie (docs/product.md#calls). Succeeds without a session, too. Every page that
 * may end it may read the response: otherwise the browser reports a failure to a page that has signed the user out.
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
