import * as z from 'zod/mini';
import { tokenField } from '@/lib/server/http';
import { bySession, requireProof, requireOwnSession, toSessionRequest } from '@/lib/server/session';
import { renewRecoveryCodes, factorRoute } from '@/lib/server/second-factor';

export const config = { api: { bodyParser: false } };

/** Creates new recovery codes for the signed-in user, who has authenticated within 5 minutes. */
export default factorRoute(
  { body: z.object({ token: z.optional(tokenField) }), limit: bySession('create-session') },
  async ({ req, body: { token } }) => {
    const session = await requireOwnSession(req);
    const request = toSessionRequest(req);
    await requireProof(session, token, request);
    return { recoveryCodes: await renewRecoveryCodes(session.status.uid, request) };
  },
);
