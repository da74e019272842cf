import * as z from 'zod/mini';
import { bySession, respondWithRenewed, requireOwnSession, toSessionRequest } from '@/lib/server/session';
import { unlinkMethod } from '@/lib/server/accounts';
import { ownRoute, tokenField } from '@/lib/server/http';

export const config = { api: { bodyParser: false } };

const body = z.object({ token: tokenField, method: z.string().check(z.minLength(1), z.maxLength(128)) });

/**
 * Removes a sign-in method of the signed-in user, who has just re-authenticated, but never the last method. Ends all
 * sessions and creates a new session.
 */
export default ownRoute({ body, limit: bySession('try-code') }, async ({ req, res, body: { token, method } }) => {
  const renewed = await unlinkMethod(await requireOwnSession(req), token, method, toSessionRequest(req));
  return respondWithRenewed({ req, res }, renewed);
});
