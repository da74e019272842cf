import * as z from 'zod/mini';
import { appendCookies } from '@/lib/server/http/cookies';
import { prepareConfirmation } from '@/lib/server/accounts/confirmation';
import { emailAndRespond, EMAIL_SENT } from '@/lib/server/accounts/email-and-respond';
import { confirmationCookies } from '@/lib/server/accounts/email-context';
import { apiRoute } from '@/lib/server/http/api-route';
import { toSessionRequest } from '@/lib/server/session/request';

export const config = { api: { bodyParser: false } };

const body = z.object({ token: z.string().check(z.minLength(1)) });

/** Emails a code to a user who signed in at the identity provider but whose address is not verified. */
export default apiRoute(
  { method: 'POST', body, stateChanging: true, limit: 'email-by-client', audience: 'own' },
  async ({ req, res, body: { token } }) => {
    const { email, issue } = await prepareConfirmation(token, toSessionRequest(req));
    const sealed = await emailAndRespond(req, { purpose: 'confirm-email', email }, issue);
    appendCookies(res, confirmationCookies(req, sealed, email));
    return EMAIL_SENT;
  },
);
