import { beginConfirmation, emailCodeAndRespond, prepareCode } from '@/lib/server/accounts';
import { ownRoute, tokenSchema } from '@/lib/server/http';
import { toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/** Emails a code to a user who signed in at the identity provider but whose email is not verified. */
export default ownRoute({ body: tokenSchema, limit: 'email-by-client' }, async ({ body: { token }, ...call }) => {
  const pending = await beginConfirmation(token, toSessionRequest(call.req));
  return emailCodeAndRespond(call, { purpose: 'confirm-email', email: pending.email }, (context) =>
    prepareCode(pending, context),
  );
});
