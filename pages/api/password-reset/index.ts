import * as z from 'zod/mini';
import { emailField } from '@/lib/shared/account/fields';
import { emailCodeAndRespond, prepareReset } from '@/lib/server/accounts';
import { ownRoute } from '@/lib/server/http';

export const config = { api: { bodyParser: false } };

const body = z.object({ email: emailField });

/** Emails a reset code or other help, which the response does not reveal. */
export default ownRoute({ body, limit: 'email-by-client' }, ({ body: { email }, ...call }) =>
  emailCodeAndRespond(call, { purpose: 'reset-password', email }, (context) => prepareReset(email, context)),
);
