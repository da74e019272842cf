import { emailCodeAndRespond, getFlowToken, readPendingReset, prepareReset } from '@/lib/server/accounts';
import { assertUnused } from '@/lib/server/codes';
import { flowSchema, ownRoute } from '@/lib/server/http';

export const config = { api: { bodyParser: false } };

/** Emails another code for a pending password reset of this browser. */
export default ownRoute({ body: flowSchema, limit: 'email-by-client' }, async ({ body, ...call }) => {
  const { email, flow } = assertUnused(
    await readPendingReset(await getFlowToken(call.req, 'reset-password', body?.flow)),
  );
  return emailCodeAndRespond(call, { purpose: 'reset-password', email, again: { flow } }, (context) =>
    prepareReset(email, context),
  );
});
