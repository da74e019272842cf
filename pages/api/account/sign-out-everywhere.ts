import { ApiProblem } from '@/lib/shared/problem';
import { env, describeClient } from '@/lib/server/runtime';
import { appendCookies, ownRoute } from '@/lib/server/http';
import { findLeftClientsOfAccount, toSignedOut } from '@/lib/server/oidc';
import { recordEvent } from '@/lib/server/storage';
import {
  bySession,
  requireSessionNow,
  revokeAllSessions,
  getSessionBackend,
  getSessionCookie,
  buildEndedSessionCookies,
} from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/** Ends every session of the account, including this one. */
export default ownRoute({ limit: bySession('end-session') }, async ({ req, res }) => {
  if (env().SESSION_BACKEND === 'upstream') throw new ApiProblem('not-found');
  const { status } = await requireSessionNow(req);
  // The end of the sessions deletes the lists of their clients.
  const left = await findLeftClientsOfAccount(status.uid);
  await revokeAllSessions(status.uid);
  // The provider revokes by whole seconds; a session created within this second must be ended explicitly.
  await getSessionBackend().end(getSessionCookie(req) ?? '');
  recordEvent({ uid: status.uid, kind: 'signed-out-everywhere', client: describeClient(req) });
  appendCookies(res, buildEndedSessionCookies(req));
  return toSignedOut(left);
});
