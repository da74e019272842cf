import * as z from 'zod/mini';
import { codeField } from '@/lib/shared/account/code-schemas';
import { confirmEmail, getFlowToken } from '@/lib/server/accounts';
import { getFlowContext } from '@/lib/server/notifications';
import { flowField, ownRoute } from '@/lib/server/http';
import { toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

const body = z.object({ code: codeField, flow: flowField });

/** Confirms an address with the code from the email, and returns a custom token for the sign-in. */
export default ownRoute({ body, limit: 'try-code' }, async ({ req, body: { code, flow } }) => {
  const token = await getFlowToken(req, 'confirm-email', flow);
  return { customToken: await confirmEmail({ token, code }, await getFlowContext(req), toSessionRequest(req)) };
});
