import { ApiProblem } from '@/lib/shared/problem';
import { env } from '@/lib/server/runtime/config/env';
import { describeClient } from '@/lib/server/runtime/client-description';
import { appendCookies } from '@/lib/server/http/cookies';
import { apiRoute } from '@/lib/server/http/api-route';
import { recordEvent } from '@/lib/server/storage/records/record-event';
import {
  requireSessionNow,
  revokeAllSessions,
  getSessionBackend,
  getSessionCookie,
} from '@/lib/server/session/require-session';
import { buildEndedSessionCookies } from '@/lib/server/session/cookies';

export const config = { api: { bodyParser: false } };

/** Ends every session of the account, including this one. */
export default apiRoute(
  { method: 'POST', stateChanging: true, audience: 'own', limit: 'end-session' },
  async ({ req, res }) => {
    const { SESSION_BACKEND, NEXT_PUBLIC_MAIN_DOMAIN: domain } = env();
    if (SESSION_BACKEND === 'upstream') throw new ApiProblem('not-found');
    const { status } = await requireSessionNow(req);
    await revokeAllSessions(status.uid);
    // The provider revokes by whole seconds; a session created within this second must be ended explicitly.
    await getSessionBackend().end(getSessionCookie(req) ?? '');
    recordEvent({ uid: status.uid, kind: 'signed-out-everywhere', client: describeClient(req) });
    appendCookies(res, buildEndedSessionCookies(domain));
  },
);
