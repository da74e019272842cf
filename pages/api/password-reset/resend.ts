import { emailCodeAndRespond } from '@/lib/server/accounts/email-and-respond';
import { getFlowToken } from '@/lib/server/accounts/flows';
import { readPendingReset, prepareReset } from '@/lib/server/accounts/recovery';
import { assertUnused } from '@/lib/server/codes/one-time-codes';
import { flowSchema } from '@/lib/server/http/flow-id';
import { apiRoute } from '@/lib/server/http/api-route';

export const config = { api: { bodyParser: false } };

/** Emails another code for a pending password reset of this browser. */
export default apiRoute(
  { method: 'POST', body: flowSchema, stateChanging: true, limit: 'email-by-client', audience: 'own' },
  async ({ body, ...call }) => {
    const { email, flow } = assertUnused(
      await readPendingReset(await getFlowToken(call.req, 'reset-password', body?.flow)),
    );
    return emailCodeAndRespond(call, { purpose: 'reset-password', email, again: { flow } }, (context) =>
      prepareReset(email, context),
    );
  },
);
