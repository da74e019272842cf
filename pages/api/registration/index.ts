import { registrationSchema } from '@/lib/shared/account/registration-schema';
import { appendCookies } from '@/lib/server/http/cookies';
import { emailAndRespond, EMAIL_SENT } from '@/lib/server/accounts/email-and-respond';
import { registerAccount } from '@/lib/server/accounts/registration';
import { confirmationCookies } from '@/lib/server/accounts/email-context';
import { apiRoute } from '@/lib/server/http/api-route';

export const config = { api: { bodyParser: false } };

/** Creates an unverified account and emails its code; the response does not reveal whether the address was taken. */
export default apiRoute(
  { method: 'POST', body: registrationSchema, stateChanging: true, limit: 'email-by-client', audience: 'own' },
  async ({ req, res, body }) => {
    const token = await emailAndRespond(req, { purpose: 'confirm-email', email: body.email }, (context) =>
      registerAccount(body, context),
    );
    appendCookies(res, confirmationCookies(req, token, body.email));
    return EMAIL_SENT;
  },
);
