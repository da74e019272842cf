import * as z from 'zod/mini';
import { emailField } from '@/lib/shared/account/fields';
import { emailCodeAndRespond } from '@/lib/server/accounts/email-and-respond';
import { prepareReset } from '@/lib/server/accounts/recovery';
import { apiRoute } from '@/lib/server/http/api-route';

export const config = { api: { bodyParser: false } };

const body = z.object({ email: emailField });

/** Emails a reset code or other help; the response does not reveal which. */
export default apiRoute(
  { method: 'POST', body, stateChanging: true, limit: 'email-by-client', audience: 'own' },
  ({ body: { email }, ...call }) =>
    emailCodeAndRespond(call, { purpose: 'reset-password', email }, (context) => prepareReset(email, context)),
);
