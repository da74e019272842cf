import * as z from 'zod/mini';
import { emailField } from '@/lib/account/fields';
import { mailTo, MAILED } from '@/lib/server/accounts/mail-call';
import { sendSignInHelp } from '@/lib/server/accounts/recovery';
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
    await mailTo(req, email, (setting) => sendSignInHelp(email, setting));
    return MAILED;
  },
);
