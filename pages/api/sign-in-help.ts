import * as z from 'zod/mini';
import { emailField } from '@/lib/account/fields';
import { inEvenTime } from '@/lib/server/accounts/even-time';
import { countMail, RESEND_AFTER } from '@/lib/server/accounts/limits';
import { sendSignInHelp } from '@/lib/server/accounts/recovery';
import { settingOf } from '@/lib/server/accounts/setting';
import { apiRoute } from '@/lib/server/api';

export const config = { api: { bodyParser: false } };

/** Mails the owner of an address how to sign in; the answer tells nobody else. */
export default apiRoute(
  {
    method: 'POST',
    body: z.object({ email: emailField }),
    stateChanging: true,
    limit: 'mail-by-client',
    audience: 'own',
  },
  async ({ req, body: { email } }) => {
    await countMail(email, { again: false });
    await inEvenTime(async () => sendSignInHelp(email, await settingOf(req)));
    return { resendAfter: RESEND_AFTER };
  },
);
