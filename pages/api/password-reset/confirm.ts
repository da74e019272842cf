import * as z from 'zod/mini';
import { codeField } from '@/lib/account/code-schemas';
import { newPasswordField } from '@/lib/account/fields';
import { appendCookies } from '@/lib/cookies/server';
import { cookieTable } from '@/lib/cookies/table';
import { resetPassword } from '@/lib/server/accounts/recovery';
import { passwordSetCookies, settingOf } from '@/lib/server/accounts/setting';
import { apiRoute } from '@/lib/server/api';

export const config = { api: { bodyParser: false } };

const body = z.object({ code: codeField, password: newPasswordField });

/** Sets a new password with the code from the mail, and ends all sessions of the account. */
export default apiRoute(
  { method: 'POST', body, stateChanging: true, limit: 'try-code', audience: 'own' },
  async ({ req, res, body: { code, password } }) => {
    await resetPassword(req.cookies[cookieTable.passwordReset.name], code, password, await settingOf(req));
    appendCookies(res, passwordSetCookies());
  },
);
