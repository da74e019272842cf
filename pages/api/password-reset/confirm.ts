import * as z from 'zod/mini';
import { codeField } from '@/lib/shared/account/code-schemas';
import { newPasswordField } from '@/lib/shared/account/fields';
import { appendCookies, flowField, ownRoute } from '@/lib/server/http';
import { resetPassword, getFlowToken } from '@/lib/server/accounts';
import { passwordSetCookies, getFlowContext } from '@/lib/server/notifications';

export const config = { api: { bodyParser: false } };

const body = z.object({ code: codeField, password: newPasswordField, flow: flowField });

/** Sets a new password with the code from the email, and ends all sessions of the account. */
export default ownRoute({ body, limit: 'try-code' }, async ({ req, res, body: { code, password, flow } }) => {
  const token = await getFlowToken(req, 'reset-password', flow);
  await resetPassword(token, code, password, await getFlowContext(req));
  appendCookies(res, passwordSetCookies(req));
});
