import { appendCookies } from '@/lib/server/http/cookies';
import { cookieTable } from '@/lib/shared/cookie-table';
import { emailAndRespond, EMAIL_SENT } from '@/lib/server/accounts/email-and-respond';
import { readPendingReset, requestReset } from '@/lib/server/accounts/recovery';
import { resetCookies } from '@/lib/server/accounts/email-context';
import { apiRoute } from '@/lib/server/http/api-route';

export const config = { api: { bodyParser: false } };

/** Emails another code for this browser's pending password reset. */
export default apiRoute(
  { method: 'POST', stateChanging: true, limit: 'email-by-client', audience: 'own' },
  async ({ req, res }) => {
    const { email } = await readPendingReset(req.cookies[cookieTable.passwordReset.name]);
    const mailing = { purpose: 'reset-password', email, again: true } as const;
    const token = await emailAndRespond(req, mailing, (context) => requestReset(email, context));
    appendCookies(res, resetCookies(req, token));
    return EMAIL_SENT;
  },
);
