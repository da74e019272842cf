import { appendCookies } from '@/lib/server/http/cookies';
import { cookieTable } from '@/lib/shared/cookie-table';
import { readPendingRegistration } from '@/lib/server/accounts/confirmation';
import { emailAndRespond, EMAIL_SENT } from '@/lib/server/accounts/email-and-respond';
import { resendConfirmation } from '@/lib/server/accounts/registration';
import { confirmationCookies } from '@/lib/server/accounts/email-context';
import { apiRoute } from '@/lib/server/http/api-route';

export const config = { api: { bodyParser: false } };

/** Emails another code for this browser's pending registration. */
export default apiRoute(
  { method: 'POST', stateChanging: true, limit: 'email-by-client', audience: 'own' },
  async ({ req, res }) => {
    const subject = await readPendingRegistration(req.cookies[cookieTable.emailConfirmationToken.name]);
    const mailing = { purpose: 'confirm-email', email: subject.email, again: true } as const;
    const token = await emailAndRespond(req, mailing, (context) => resendConfirmation(subject, context));
    appendCookies(res, confirmationCookies(req, token, subject.email));
    return EMAIL_SENT;
  },
);
