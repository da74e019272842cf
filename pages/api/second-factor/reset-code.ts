import { emailAndRespond, EMAIL_SENT } from '@/lib/server/accounts';
import { requestResetCode, factorRoute } from '@/lib/server/second-factor';
import { appendCookies, applySharedComputerExpiry, buildSetCookie, readHostCookie } from '@/lib/server/http';

export const config = { api: { bodyParser: false } };

/** Emails the code for a reset of the second factor, for this browser's waiting sign-in. */
export default factorRoute({ checksAccount: false, limit: 'email-by-client' }, async ({ req, res }) => {
  const secret = readHostCookie(req, 'pendingSignIn');
  const token = readHostCookie(req, 'factorReset');
  const { email, openFlow, issue } = await requestResetCode({ secret, token });
  const again = openFlow === null ? {} : { again: { flow: openFlow } };
  const { result } = await emailAndRespond(
    { req, res },
    { purpose: 'factor-reset', email, ...again },
    async ({ flow }) => {
      const { code, token: issued } = await issue(flow);
      return { result: issued, email: { kind: 'factor-reset-code', email, code } };
    },
  );
  const cookie = buildSetCookie('factorReset', result);
  appendCookies(res, applySharedComputerExpiry(req, [cookie]));
  return EMAIL_SENT;
});
