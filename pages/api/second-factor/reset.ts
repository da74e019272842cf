import * as z from 'zod/mini';
import { beginReset, factorCodeField, factorRoute } from '@/lib/server/second-factor';
import { appendCookies, buildClearCookie, readHostCookie } from '@/lib/server/http';
import { toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/**
 * Begins the reset of a lost second factor, which takes effect later. If a reset is running, it returns that reset's
 * time. It creates no session.
 */
export default factorRoute(
  { body: z.object({ code: factorCodeField }), checksAccount: false, limit: 'try-code' },
  async ({ req, res, body: { code } }) => {
    const secret = readHostCookie(req, 'pendingSignIn');
    const token = readHostCookie(req, 'factorReset');
    const effectiveAt = await beginReset({ secret, token, code }, toSessionRequest(req));
    appendCookies(res, [buildClearCookie('factorReset')]);
    return { effectiveAt };
  },
);
