import * as z from 'zod/mini';
import { appendCookies, applySharedComputerExpiry } from '@/lib/server/http';
import { factorFields, toTypedCode, stepUp, factorRoute } from '@/lib/server/second-factor';
import { bySession, requireOwnSession, toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/** Lets the signed-in user show the second factor, because a platform requires it. */
export default factorRoute(
  { body: z.object(factorFields), limit: bySession('create-session') },
  async ({ req, res, body }) => {
    const { cookies, codesLeft } = await stepUp(await requireOwnSession(req), toTypedCode(body), toSessionRequest(req));
    appendCookies(res, applySharedComputerExpiry(req, cookies));
    return { codesLeft };
  },
);
