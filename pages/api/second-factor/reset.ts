import * as z from 'zod/mini';
import { env } from '@/lib/server/runtime/config/env';
import { beginReset } from '@/lib/server/second-factor/reset/request';
import { apiRoute } from '@/lib/server/http/api-route';
import { appendCookies, buildClearCookie, readHostCookie } from '@/lib/server/http/cookies';
import { requireOffered } from '@/lib/server/policy/second-factor-offered';
import { codeField } from '@/lib/server/second-factor/schemas';
import { toSessionRequest } from '@/lib/server/session/request';

export const config = { api: { bodyParser: false } };

/** Begins the reset of a lost second factor, which takes effect later; while one runs, says when that does. It creates no session. */
export default apiRoute(
  {
    method: 'POST',
    body: z.object({ code: codeField }),
    stateChanging: true,
    checksAccount: false,
    audience: 'own',
    limit: 'try-code',
  },
  async ({ req, res, body: { code } }) => {
    requireOffered();
    const secret = readHostCookie(req, 'pendingSignIn');
    const token = readHostCookie(req, 'factorReset');
    const effectiveAt = await beginReset({ secret, token, code }, toSessionRequest(req));
    appendCookies(res, [buildClearCookie('factorReset', env().NEXT_PUBLIC_MAIN_DOMAIN)]);
    return { effectiveAt };
  },
);
