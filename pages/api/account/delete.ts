import * as z from 'zod/mini';
import { requestDeletion } from '@/lib/server/accounts';
import {
  respondWithRenewed,
  requireOwnSession,
  buildEndedSessionCookies,
  toSessionRequest,
} from '@/lib/server/session';
import { ownRoute, appendCookies } from '@/lib/server/http';

export const config = { api: { bodyParser: false } };

const body = z.object({ token: z.string().check(z.minLength(1)) });

/**
 * Schedules the deletion of the signed-in user's account, who has just confirmed their identity. Ends all sessions, and
 * creates a new one.
 */
export default ownRoute({ body, limit: 'try-code' }, async ({ req, res, body: { token } }) => {
  const { effectiveAt, renewed } = await requestDeletion(await requireOwnSession(req), token, toSessionRequest(req));
  if (renewed === null) appendCookies(res, buildEndedSessionCookies(req));
  return { effectiveAt, ...respondWithRenewed({ req, res }, renewed) };
});
