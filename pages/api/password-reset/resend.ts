import { appendCookies } from '@/lib/cookies/server';
import { cookieTable } from '@/lib/cookies/table';
import { inEvenTime } from '@/lib/server/accounts/even-time';
import { countMail, RESEND_AFTER } from '@/lib/server/accounts/limits';
import { pendingReset, requestReset } from '@/lib/server/accounts/recovery';
import { resetCookies, settingOf } from '@/lib/server/accounts/setting';
import { apiRoute } from '@/lib/server/api';

export const config = { api: { bodyParser: false } };

/** Mails another code for the reset that this browser has under way. */
export default apiRoute(
  { method: 'POST', stateChanging: true, limit: 'mail-by-client', audience: 'own' },
  async ({ req, res }) => {
    const { email } = await pendingReset(req.cookies[cookieTable.passwordReset.name]);
    await countMail(email, { again: true });
    appendCookies(res, resetCookies(await inEvenTime(async () => requestReset(email, await settingOf(req)))));
    return { resendAfter: RESEND_AFTER };
  },
);
