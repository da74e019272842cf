import * as z from 'zod/mini';
import { emailField } from '@/lib/account/fields';
import { appendCookies } from '@/lib/cookies/server';
import { inEvenTime } from '@/lib/server/accounts/even-time';
import { countMail, RESEND_AFTER } from '@/lib/server/accounts/limits';
import { requestReset } from '@/lib/server/accounts/recovery';
import { resetCookies, settingOf } from '@/lib/server/accounts/setting';
import { apiRoute } from '@/lib/server/api';

export const config = { api: { bodyParser: false } };

/** Mails a reset code, or what else helps; the answer does not tell which. */
export default apiRoute(
  {
    method: 'POST',
    body: z.object({ email: emailField }),
    stateChanging: true,
    limit: 'mail-by-client',
    audience: 'own',
  },
  async ({ req, res, body: { email } }) => {
    await countMail(email, { again: false });
    appendCookies(res, resetCookies(await inEvenTime(async () => requestReset(email, await settingOf(req)))));
    return { resendAfter: RESEND_AFTER };
  },
);
