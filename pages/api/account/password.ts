import * as z from 'zod/mini';
import { newPasswordField } from '@/lib/shared/account/fields';
import { appendCookies, applySharedComputerExpiry } from '@/lib/server/http/cookies';
import { changePassword } from '@/lib/server/accounts/new-password';
import { apiRoute } from '@/lib/server/http/api-route';
import { requireSessionNow } from '@/lib/server/session/require-session';
import { toSessionRequest } from '@/lib/server/session/request';

export const config = { api: { bodyParser: false } };

const body = z.object({ current: z.string().check(z.minLength(1), z.maxLength(256)), password: newPasswordField });

/** Changes the signed-in user's password; requires the current one. Ends all sessions and creates a new one. */
export default apiRoute(
  { method: 'POST', body, stateChanging: true, limit: 'try-code', audience: 'own' },
  async ({ req, res, body: passwords }) => {
    const { cookies } = await changePassword(await requireSessionNow(req), passwords, toSessionRequest(req));
    appendCookies(res, applySharedComputerExpiry(req, cookies));
  },
);
