import { appendCookies } from '@/lib/cookies/server';
import { cookieTable } from '@/lib/cookies/table';
import { mailTo, MAILED } from '@/lib/server/accounts/mail-call';
import { pendingReset, requestReset } from '@/lib/server/accounts/recovery';
import { resetCookies } from '@/lib/server/accounts/setting';
import { apiRoute } from '@/lib/server/api';

export const config = { api: { bodyParser: false } };

/** Mails another code for the reset that this browser has under way. */
export default apiRoute(
  { method: 'POST', stateChanging: true, limit: 'mail-by-client', audience: 'own' },
  async ({ req, res }) => {
    const { email } = await pendingReset(req.cookies[cookieTable.passwordReset.name]);
    const token = await mailTo(req, email, (setting) => requestReset(email, setting), { again: true });
    appendCookies(res, resetCookies(token));
    return MAILED;
  },
);
