import { registrationSchema } from '@/lib/shared/account/registration-schema';
import { emailCodeAndRespond } from '@/lib/server/accounts/email-and-respond';
import { registerAccount } from '@/lib/server/accounts/registration';
import { apiRoute } from '@/lib/server/http/api-route';

export const config = { api: { bodyParser: false } };

/** Creates an unverified account and emails its code; the response does not reveal whether the address was taken. */
export default apiRoute(
  { method: 'POST', body: registrationSchema, stateChanging: true, limit: 'email-by-client', audience: 'own' },
  ({ body, ...call }) =>
    emailCodeAndRespond(call, { purpose: 'confirm-email', email: body.email }, (context) =>
      registerAccount(body, context),
    ),
);
