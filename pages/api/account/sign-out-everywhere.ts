import { ApiProblem } from '@/lib/shared/problem';
import { env, describeClient } from '@/lib/server/runtime';
import { appendCookies, ownRoute } from '@/lib/server/http';
import { findLeftClientsOfAccount, toSignedOut } from '@/lib/server/oidc';
import { sendChangeNotice } from '@/lib/server/notifications';
import { recordEvent } from '@/lib/server/storage';
import {
  bySession,
  requireSessionNow,
  revokeAllSessions,
  getSessionBackend,
  getSessionCookie,
  toSessionRequest,
  buildEndedSessionCookies,
} from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/** Ends every session of the account, including this one. The owner gets an email. */
export default ownRoute({ limit: bySession('end-session') }, async ({ req, res }) => {
  if (env().SESSION_BACKEND === 'upstream') throw new ApiProblem('not-found');
  const { status } = await requireSessionNow(req);
  const { uid, email } = status;
  // Find the clients first, because the end of the sessions deletes the lists of their clients.
  const left = await findLeftClientsOfAccount(uid);
  await revokeAllSessions(uid, 'sign-out-everywhere');
  // The provider revokes by whole seconds, so a session from this second must be ended explicitly.
  await getSessionBackend().end(getSessionCookie(req) ?? '');
  recordEvent({ uid, kind: 'signed-out-everywhere', client: describeClient(req) });
  const context = await toSessionRequest(req).emailContext();
  if (email !== null) await sendChangeNotice({ uid, to: email }, { kind: 'devices-signed-out' }, context);
  appendCookies(res, buildEndedSessionCookies(req));
  return toSignedOut(left);
});
