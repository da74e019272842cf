import { z } from 'zod';
import { appendCookies, applySharedComputerExpiry } from '@/lib/server/http/cookies';
import { apiRoute } from '@/lib/server/http/api-route';
import { rememberBrowser } from '@/lib/server/accounts/known-browser';
import { getSessionBackend } from '@/lib/server/session';
import { toSessionRequest } from '@/lib/server/session/request';

export const config = { api: { bodyParser: false } };

const body = z.object({ token: z.string().min(1) });

/** Creates a session from the identity provider's ID token (docs/product.md#calls). */
export default apiRoute(
  { method: 'POST', body, stateChanging: true, limit: 'create-session' },
  async ({ req, res, body: { token } }) => {
    const { cookies, email } = await getSessionBackend().create(token, toSessionRequest(req));
    appendCookies(res, applySharedComputerExpiry(req, cookies));
    if (email !== null) appendCookies(res, await rememberBrowser(req, email));
  },
);
