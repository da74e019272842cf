import * as z from 'zod/mini';
import { newPasswordField } from '@/lib/account/fields';
import { appendCookies, asLongAsAsked } from '@/lib/cookies/server';
import { changePassword } from '@/lib/server/accounts/new-password';
import { settingOf } from '@/lib/server/accounts/setting';
import { apiRoute } from '@/lib/server/api';

export const config = { api: { bodyParser: false } };

const body = z.object({ token: z.string().check(z.minLength(1)), password: newPasswordField });

/** Sets a new password for someone who has just given the present one; all sessions end but the one it opens. */
export default apiRoute(
  { method: 'POST', body, stateChanging: true, limit: 'try-code', audience: 'own' },
  async ({ req, res, body: { token, password } }) => {
    appendCookies(res, asLongAsAsked(req, await changePassword(token, password, await settingOf(req))));
  },
);
