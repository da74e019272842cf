import { emailResetCode } from '@/lib/server/factor-reset/request';
import { apiRoute } from '@/lib/server/http/api-route';
import { appendCookies, readHostCookie } from '@/lib/server/http/cookies';
import { requireOffered } from '@/lib/server/second-factor/offered';

export const config = { api: { bodyParser: false } };

/** Emails the code that a reset of the second factor takes, for the sign-in that waits in this browser. */
export default apiRoute(
  { method: 'POST', stateChanging: true, checksAccount: false, audience: 'own', limit: 'email-by-client' },
  async ({ req, res }) => {
    requireOffered();
    const secret = readHostCookie(req, 'pendingSignIn');
    const token = readHostCookie(req, 'factorReset');
    const { body, cookies } = await emailResetCode({ req, res }, { secret, token });
    appendCookies(res, cookies);
    return body;
  },
);
