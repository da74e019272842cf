import * as z from 'zod/mini';
import { respondWithRenewed, requireOwnSession, toSessionRequest } from '@/lib/server/session';
import { ownRoute, tokenField } from '@/lib/server/http';
import { requireOffered } from '@/lib/server/policy';
import { removeApp } from '@/lib/server/second-factor';

export const config = { api: { bodyParser: false } };

/** Removes an authenticator app of the signed-in user, who has authenticated within 5 minutes. Ends all sessions and creates a new one. */
export default ownRoute(
  { body: z.object({ id: z.uuid(), token: z.optional(tokenField) }), limit: 'create-session' },
  async ({ req, res, body }) => {
    requireOffered();
    const renewed = await removeApp(body, await requireOwnSession(req), toSessionRequest(req));
    return respondWithRenewed({ req, res }, renewed);
  },
);
