import { registrationSchema } from '@/lib/account/registration-schema';
import { appendCookies } from '@/lib/cookies/server';
import { mailTo, MAILED } from '@/lib/server/accounts/mail-call';
import { register } from '@/lib/server/accounts/registration';
import { confirmationCookies } from '@/lib/server/accounts/setting';
import { apiRoute } from '@/lib/server/api';

export const config = { api: { bodyParser: false } };

/** Creates an unverified account and mails its code; the answer does not tell whether the address was free. */
export default apiRoute(
  { method: 'POST', body: registrationSchema, stateChanging: true, limit: 'mail-by-client', audience: 'own' },
  async ({ req, res, body }) => {
    const token = await mailTo(req, body.email, (setting) => register(body, setting));
    appendCookies(res, confirmationCookies(req, token, body.email));
    return MAILED;
  },
);
