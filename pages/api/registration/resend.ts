import { readPendingRegistration, emailCodeAndRespond, getFlowToken, prepareResend } from '@/lib/server/accounts';
import { assertUnused } from '@/lib/server/codes';
import { flowSchema, apiRoute } from '@/lib/server/http';

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
