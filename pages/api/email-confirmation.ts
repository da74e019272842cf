import * as z from 'zod/mini';
import { appendCookies } from '@/lib/cookies/server';
import { confirmationFor } from '@/lib/server/accounts/confirmation';
import { mailTo, MAILED } from '@/lib/server/accounts/mail-call';
import { confirmationCookies } from '@/lib/server/accounts/setting';
import { apiRoute } from '@/lib/server/api';

export const config = { api: { bodyParser: false } };

const body = z.object({ token: z.string().check(z.minLength(1)) });

/** Mails a code to somebody who has given the right password, but has not confirmed their address. */
export default apiRoute(
  { method: 'POST', body, stateChanging: true, limit: 'mail-by-client', audience: 'own' },
  async ({ req, res, body: { token } }) => {
    const { email, issue } = await confirmationFor(token);
    appendCookies(res, confirmationCookies(req, await mailTo(req, email, issue), email));
    return MAILED;
  },
);
