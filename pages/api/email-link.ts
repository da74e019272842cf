import * as z from 'zod/mini';
import { emailField } from '@/lib/account/fields';
import { env } from '@/lib/config/env';
import { appendCookies, asLongAsAsked, setCookieHeader } from '@/lib/cookies/server';
import { mailTo, MAILED } from '@/lib/server/accounts/mail-call';
import { requestSignInLink } from '@/lib/server/accounts/sign-in-link';
import { apiRoute } from '@/lib/server/api';

export const config = { api: { bodyParser: false } };

/** Mails a sign-in link, or what else helps; the answer does not tell which. */
export default apiRoute(
  {
    method: 'POST',
    body: z.object({ email: emailField }),
    stateChanging: true,
    limit: 'mail-by-client',
    audience: 'own',
  },
  async ({ req, res, body: { email } }) => {
    await mailTo(req, email, (setting) => requestSignInLink(email, setting));
    // Opened in this browser, the link need not ask for the address again.
    appendCookies(res, asLongAsAsked(req, [setCookieHeader('signInEmail', email, env().NEXT_PUBLIC_MAIN_DOMAIN)]));
    return MAILED;
  },
);
