import * as z from 'zod/mini';
import { emailField } from '@/lib/shared/account/fields';
import { emailCodeAndRespond, prepareSignIn } from '@/lib/server/accounts';
import { ownRoute } from '@/lib/server/http';
import { requireEnabled, toSessionRequest } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

const body = z.object({ email: emailField });

/** Emails a code and a link that sign in, or other help. The response does not reveal which. */
export default ownRoute({ body, limit: 'email-by-client' }, async ({ body: { email }, ...call }) => {
  await requireEnabled('email-link', toSessionRequest(call.req));
  return emailCodeAndRespond(call, { purpose: 'sign-in', email }, (context) => prepareSignIn(email, context));
});
