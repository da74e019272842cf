import { appendCookies } from '@/lib/cookies/server';
import { cookieTable } from '@/lib/cookies/table';
import { pendingRegistration } from '@/lib/server/accounts/confirmation';
import { mailTo, MAILED } from '@/lib/server/accounts/mail-call';
import { resendConfirmation, type Setting } from '@/lib/server/accounts/registration';
import { confirmationCookies } from '@/lib/server/accounts/setting';
import { apiRoute } from '@/lib/server/api';

export const config = { api: { bodyParser: false } };

/** Mails another code for the registration that this browser has under way. */
export default apiRoute(
  { method: 'POST', stateChanging: true, limit: 'mail-by-client', audience: 'own' },
  async ({ req, res }) => {
    const subject = await pendingRegistration(req.cookies[cookieTable.emailConfirmationToken.name]);
    const resend = (setting: Setting) => resendConfirmation(subject, setting);
    const token = await mailTo(req, subject.email, resend, { again: true });
    appendCookies(res, confirmationCookies(req, token, subject.email));
    return MAILED;
  },
);
