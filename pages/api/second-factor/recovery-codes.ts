import * as z from 'zod/mini';
import { ownRoute, tokenField } from '@/lib/server/http';
import { requireProof, requireOwnSession, toSessionRequest } from '@/lib/server/session';
import { renewRecoveryCodes } from '@/lib/server/second-factor';
import { requireOffered } from '@/lib/server/policy';

export const config = { api: { bodyParser: false } };

/** Makes new recovery codes for the signed-in user, who has authenticated within 5 minutes. */
export default ownRoute(
  { body: z.object({ token: z.optional(tokenField) }), limit: 'create-session' },
  async ({ req, body: { token } }) => {
    requireOffered();
    const session = await requireOwnSession(req);
    const request = toSessionRequest(req);
    await requireProof(session, token, request);
    return { recoveryCodes: await renewRecoveryCodes(session.status.uid, request) };
  },
);
