import * as z from 'zod/mini';
import { apiRoute } from '@/lib/server/http/api-route';
import { requireProof } from '@/lib/server/session/require-proof';
import { renewRecoveryCodes } from '@/lib/server/second-factor/enrolment';
import { requireOffered } from '@/lib/server/policy/second-factor-offered';
import { tokenField } from '@/lib/server/second-factor/schemas';
import { requireSessionNow } from '@/lib/server/session/require-session';
import { toSessionRequest } from '@/lib/server/session/request';

export const config = { api: { bodyParser: false } };

/** Makes new recovery codes for the signed-in user, who has authenticated within 5 minutes. */
export default apiRoute(
  {
    method: 'POST',
    body: z.object({ token: z.optional(tokenField) }),
    stateChanging: true,
    audience: 'own',
    limit: 'create-session',
  },
  async ({ req, body: { token } }) => {
    requireOffered();
    const session = await requireSessionNow(req);
    const request = toSessionRequest(req);
    await requireProof(session, token, request);
    return { recoveryCodes: await renewRecoveryCodes(session.status.uid, request) };
  },
);
