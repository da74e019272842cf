import * as z from 'zod/mini';
import { codeField } from '@/lib/shared/account/code-schemas';
import { newPasswordField } from '@/lib/shared/account/fields';
import { appendCookies } from '@/lib/server/http/cookies';
import { cookieTable } from '@/lib/shared/cookie-table';
import { resetPassword } from '@/lib/server/accounts/recovery';
import { passwordSetCookies, getFlowContext } from '@/lib/server/accounts/email-context';
import { apiRoute } from '@/lib/server/http/api-route';

export const config = { api: { bodyParser: false } };

const body = z.object({ code: codeField, password: newPasswordField });

/** Sets a new password with the code from the email, and ends all sessions of the account. */
export default apiRoute(
  { method: 'POST', body, stateChanging: true, limit: 'try-code', audience: 'own' },
  async ({ req, res, body: { code, password } }) => {
    await resetPassword(req.cookies[cookieTable.passwordReset.name], code, password, await getFlowContext(req));
    appendCookies(res, passwordSetCookies(req));
  },
);
