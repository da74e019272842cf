import * as z from 'zod/mini';
import { respondWithRenewed } from '@/lib/server/session/renewed-session';
import { apiRoute } from '@/lib/server/http/api-route';
import { requireOffered } from '@/lib/server/policy/second-factor-offered';
import { removeApp } from '@/lib/server/second-factor/removal';
import { tokenField } from '@/lib/server/second-factor/schemas';
import { requireSessionNow } from '@/lib/server/session/require-session';
import { toSessionRequest } from '@/lib/server/session/request';

export const config = { api: { bodyParser: false } };

/** Removes an authenticator app of the signed-in user, who has authenticated within 5 minutes. Ends all sessions and creates a new one. */
export default apiRoute(
  {
    method: 'POST',
    body: z.object({ id: z.uuid(), token: z.optional(tokenField) }),
    stateChanging: true,
    audience: 'own',
    limit: 'create-session',
  },
  async ({ req, res, body }) => {
    requireOffered();
    const renewed = await removeApp(body, await requireSessionNow(req), toSessionRequest(req));
    return respondWithRenewed({ req, res }, renewed);
  },
);
