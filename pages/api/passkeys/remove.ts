import * as z from 'zod/mini';
import { bySession, respondWithRenewed, requireOwnSession, toSessionRequest } from '@/lib/server/session';
import { ownRoute, requireRelyingParty, tokenField } from '@/lib/server/http';
import { removePasskey } from '@/lib/server/passkeys';

export const config = { api: { bodyParser: false } };

const body = z.object({ id: z.uuid(), token: z.optional(tokenField) });

/**
 * Removes a passkey of the signed-in user, who has authenticated within 5 minutes, but never the last sign-in method.
 * Ends all sessions and creates a new session.
 */
export default ownRoute({ body, limit: bySession('create-session') }, async ({ req, res, body: removal }) => {
  const rp = requireRelyingParty(req);
  const removed = await removePasskey(rp, removal, await requireOwnSession(req), toSessionRequest(req));
  return { signal: removed.signal, ...respondWithRenewed({ req, res }, removed.renewed) };
});
