import { prepareConfirmation, emailCodeAndRespond } from '@/lib/server/accounts';
import { ownRoute, tokenSchema } from '@/lib/server/http';
import { toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/** Emails a code to a user who signed in at the identity provider but whose email is not verified. */
export default ownRoute({ body: tokenSchema, limit: 'email-by-client' }, async ({ body: { token }, ...call }) => {
  const { email, prepare } = await prepareConfirmation(token, toSessionRequest(call.req));
  return emailCodeAndRespond(call, { purpose: 'confirm-email', email }, prepare);
});
