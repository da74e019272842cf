import * as z from 'zod/mini';
import { emailField } from '@/lib/account/fields';
import { appendCookies } from '@/lib/cookies/server';
import { mailTo, MAILED } from '@/lib/server/accounts/mail-call';
import { requestReset } from '@/lib/server/accounts/recovery';
import { resetCookies } from '@/lib/server/accounts/setting';
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
    const token = await mailTo(req, email, (setting) => requestReset(email, setting));
    appendCookies(res, resetCookies(token));
    return MAILED;
  },
);
