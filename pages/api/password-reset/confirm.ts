import * as z from 'zod/mini';
import { codeField } from '@/lib/shared/account/code-schemas';
import { newPasswordField } from '@/lib/shared/account/fields';
import { flowField, ownRoute } from '@/lib/server/http';
import { resetPassword, getFlowToken, respondWithReset } from '@/lib/server/accounts';
import { getFlowContext } from '@/lib/server/notifications';
import { toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

const body = z.object({ code: codeField, password: newPasswordField, flow: flowField });

/** Sets a new password with the code from the email, ends all sessions of the account, and signs in. */
export default ownRoute({ body, limit: 'try-code' }, async ({ req, res, body: { flow, ...typed } }) => {
  const token = await getFlowToken(req, 'reset-password', flow);
  const signIn = await resetPassword({ token, ...typed }, await getFlowContext(req), toSessionRequest(req));
  return respondWithReset({ req, res }, signIn);
});
