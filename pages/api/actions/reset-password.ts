import * as z from 'zod/mini';
import { newPasswordField } from '@/lib/account/fields';
import { appendCookies } from '@/lib/cookies/server';
import { resetPasswordByLink } from '@/lib/server/accounts/new-password';
import { passwordSetCookies, settingOf } from '@/lib/server/accounts/setting';
import { apiRoute } from '@/lib/server/api';

export const config = { api: { bodyParser: false } };

const body = z.object({ oobCode: z.string().check(z.minLength(1), z.maxLength(512)), password: newPasswordField });

/** Sets a new password with the code of a mailed link, and ends all sessions of the account. */
export default apiRoute(
  { method: 'POST', body, stateChanging: true, limit: 'try-code', audience: 'own' },
  async ({ req, res, body: { oobCode, password } }) => {
    await resetPasswordByLink(oobCode, password, await settingOf(req));
    appendCookies(res, passwordSetCookies());
  },
);
