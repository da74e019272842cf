import * as z from 'zod/mini';
import { codeField } from '@/lib/shared/account/code-schemas';
import { newPasswordField } from '@/lib/shared/account/fields';
import { appendCookies } from '@/lib/server/http/cookies';
import { resetPassword } from '@/lib/server/accounts/recovery';
import { passwordSetCookies, getFlowContext } from '@/lib/server/notifications/email-context';
import { getFlowToken } from '@/lib/server/accounts/flows';
import { flowField } from '@/lib/server/http/flow-id';
import { apiRoute } from '@/lib/server/http/api-route';

export const config = { api: { bodyParser: false } };

const body = z.object({ code: codeField, password: newPasswordField, flow: flowField });

/** Sets a new password with the code from the email, and ends all sessions of the account. */
export default apiRoute(
  { method: 'POST', body, stateChanging: true, limit: 'try-code', audience: 'own' },
  async ({ req, res, body: { code, password, flow } }) => {
    const token = await getFlowToken(req, 'reset-password', flow);
    await resetPassword(token, code, password, await getFlowContext(req));
    appendCookies(res, passwordSetCookies(req));
  },
);
