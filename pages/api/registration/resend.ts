import {
  awaitsPasskey,
  emailCodeAndRespond,
  getFlowToken,
  keepNewAccount,
  prepareCode,
  readNewAccounts,
  readPendingRegistration,
} from '@/lib/server/accounts';
import { assertUnused } from '@/lib/server/codes';
import { flowSchema, ownRoute } from '@/lib/server/http';

export const config = { api: { bodyParser: false } };

/**
 * Emails another code for a pending registration of this browser. The registration may already be confirmed but still
 * lack a passkey.
 */
export default ownRoute({ body: flowSchema, limit: 'email-by-client' }, async ({ body, ...call }) => {
  const subject = await readPendingRegistration(await getFlowToken(call.req, 'confirm-email', body?.flow));
  if (!subject.isUsed || !(await awaitsPasskey(subject))) assertUnused(subject);
  const { email, flow, uid } = subject;
  const answer = await emailCodeAndRespond(call, { purpose: 'confirm-email', email, again: { flow } }, (context) =>
    prepareCode(subject, context),
  );
  const account = (await readNewAccounts(call.req)).find((each) => each.uid === uid);
  if (account) await keepNewAccount(call, flow, account);
  return answer;
});
