import * as z from 'zod/mini';
import { codeField } from '@/lib/shared/account/code-schemas';
import { confirmEmail, forgetNewAccount, getFlowToken, readNewAccounts } from '@/lib/server/accounts';
import { getFlowContext } from '@/lib/server/notifications';
import { flowField, ownRoute } from '@/lib/server/http';
import { toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

const schema = z.object({ code: codeField, flow: flowField });

/** Confirms an address with the code from the email, and returns a custom token for the sign-in. */
export default ownRoute({ body: schema, limit: 'try-code' }, async ({ req, res, body }) => {
  const token = await getFlowToken(req, 'confirm-email', body.flow);
  const typed = { token, code: body.code, newAccounts: await readNewAccounts(req) };
  const { customToken, flow } = await confirmEmail(typed, await getFlowContext(req), toSessionRequest(req));
  forgetNewAccount({ res }, flow);
  return { customToken };
});
