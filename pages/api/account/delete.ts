import { requestDeletion } from '@/lib/server/accounts';
import {
  bySession,
  respondWithRenewed,
  requireOwnSession,
  buildEndedSessionCookies,
  toSessionRequest,
} from '@/lib/server/session';
import { ownRoute, appendCookies, tokenSchema } from '@/lib/server/http';

export const config = { api: { bodyParser: false } };

/**
 * Schedules the deletion of the account of the signed-in user, who has just re-authenticated. Ends all sessions and
 * creates a new session.
 */
export default ownRoute({ body: tokenSchema, limit: bySession('try-code') }, async ({ req, res, body: { token } }) => {
  const { effectiveAt, renewed } = await requestDeletion(await requireOwnSession(req), token, toSessionRequest(req));
  if (renewed === null) appendCookies(res, buildEndedSessionCookies(req));
  return { effectiveAt, ...respondWithRenewed({ req, res }, renewed) };
});
