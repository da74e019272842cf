import * as z from 'zod/mini';
import { bySession, respondWithRenewed, requireOwnSession, toSessionRequest } from '@/lib/server/session';
import { tokenField } from '@/lib/server/http';
import { removeApp, factorRoute } from '@/lib/server/second-factor';

export const config = { api: { bodyParser: false } };

/**
 * Removes an authenticator app of the signed-in user, who has authenticated within 5 minutes. Ends all sessions and
 * creates a new session.
 */
export default factorRoute(
  { body: z.object({ id: z.uuid(), token: z.optional(tokenField) }), limit: bySession('create-session') },
  async ({ req, res, body }) => {
    const renewed = await removeApp(body, await requireOwnSession(req), toSessionRequest(req));
    return respondWithRenewed({ req, res }, renewed);
  },
);
