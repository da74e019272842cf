import * as z from 'zod/mini';
import { apiRoute } from '@/lib/server/http/api-route';
import { appendCookies, applySharedComputerExpiry } from '@/lib/server/http/cookies';
import { requireOffered } from '@/lib/server/policy/second-factor-offered';
import { factorFields, toFactorCode } from '@/lib/server/second-factor/schemas';
import { stepUp } from '@/lib/server/second-factor/step-up';
import { requireSessionNow } from '@/lib/server/session/require-session';
import { toSessionRequest } from '@/lib/server/session/request';

export const config = { api: { bodyParser: false } };

/** The signed-in user shows the second factor, which a platform has asked for. */
export default apiRoute(
  {
    method: 'POST',
    body: z.object(factorFields),
    stateChanging: true,
    audience: 'own',
    limit: 'create-session',
  },
  async ({ req, res, body }) => {
    requireOffered();
    const { cookies, codesLeft } = await stepUp(
      await requireSessionNow(req),
      toFactorCode(body),
      toSessionRequest(req),
    );
    appendCookies(res, applySharedComputerExpiry(req, cookies));
    return { codesLeft };
  },
);
