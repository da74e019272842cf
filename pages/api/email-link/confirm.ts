import * as z from 'zod/mini';
import { codeField } from '@/lib/shared/account/code-schemas';
import { getFlowToken, signInByCode } from '@/lib/server/accounts';
import { flowField, ownRoute } from '@/lib/server/http';
import { getFlowContext } from '@/lib/server/notifications';
import { toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

const body = z.object({ code: codeField, flow: flowField });

/** Signs in with the code from the email, and returns a custom token for the sign-in. */
export default ownRoute({ body, limit: 'try-code' }, async ({ req, body: { code, flow } }) => {
  const token = await getFlowToken(req, 'sign-in', flow);
  return { customToken: await signInByCode({ token, code }, await getFlowContext(req), toSessionRequest(req)) };
});
