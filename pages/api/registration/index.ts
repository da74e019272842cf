import { registrationSchema } from '@/lib/account/registration-schema';
import { appendCookies } from '@/lib/cookies/server';
import { inEvenTime } from '@/lib/server/accounts/even-time';
import { countMail, RESEND_AFTER } from '@/lib/server/accounts/limits';
import { register } from '@/lib/server/accounts/registration';
import { confirmationCookies, settingOf } from '@/lib/server/accounts/setting';
import { apiRoute } from '@/lib/server/api';

export const config = { api: { bodyParser: false } };

/** Creates an unverified account and mails its code; the answer does not tell whether the address was free. */
export default apiRoute(
  { method: 'POST', body: registrationSchema, stateChanging: true, limit: 'mail-by-client', audience: 'own' },
  async ({ req, res, body }) => {
    await countMail(body.email, { again: false });
    const token = await inEvenTime(async () => register(body, await settingOf(req)));
    appendCookies(res, confirmationCookies(token, body.email));
    return { resendAfter: RESEND_AFTER };
  },
);
