import { appendCookies } from '@/lib/cookies/server';
import { cookieTable } from '@/lib/cookies/table';
import { pendingRegistration } from '@/lib/server/accounts/confirmation';
import { inEvenTime } from '@/lib/server/accounts/even-time';
import { countMail, RESEND_AFTER } from '@/lib/server/accounts/limits';
import { resendConfirmation } from '@/lib/server/accounts/registration';
import { confirmationCookies, settingOf } from '@/lib/server/accounts/setting';
import { apiRoute } from '@/lib/server/api';

export const config = { api: { bodyParser: false } };

/** Mails another code for the registration that this browser has under way. */
export default apiRoute(
  { method: 'POST', stateChanging: true, limit: 'mail-by-client', audience: 'own' },
  async ({ req, res }) => {
    const subject = await pendingRegistration(req.cookies[cookieTable.emailConfirmationToken.name]);
    await countMail(subject.email, { again: true });
    const token = await inEvenTime(async () => resendConfirmation(subject, await settingOf(req)));
    appendCookies(res, confirmationCookies(token, subject.email));
    return { resendAfter: RESEND_AFTER };
  },
);
