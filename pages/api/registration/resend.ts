import { readPendingRegistration } from '@/lib/server/accounts/confirmation';
import { emailCodeAndRespond } from '@/lib/server/accounts/email-and-respond';
import { getFlowToken } from '@/lib/server/accounts/flows';
import { prepareResend } from '@/lib/server/accounts/registration';
import { assertUnused } from '@/lib/server/codes/one-time-codes';
import { flowSchema } from '@/lib/server/http/flow-id';
import { apiRoute } from '@/lib/server/http/api-route';

export const config = { api: { bodyParser: false } };

/** Emails another code for a pending registration of this browser. */
export default apiRoute(
  { method: 'POST', body: flowSchema, stateChanging: true, limit: 'email-by-client', audience: 'own' },
  async ({ body, ...call }) => {
    const subject = assertUnused(
      await readPendingRegistration(await getFlowToken(call.req, 'confirm-email', body?.flow)),
    );
    const { email, flow } = subject;
    return emailCodeAndRespond(call, { purpose: 'confirm-email', email, again: { flow } }, (context) =>
      prepareResend(subject, context),
    );
  },
);
