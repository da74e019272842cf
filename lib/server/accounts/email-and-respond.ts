import type { NextApiRequest, NextApiResponse } from 'next';
import { getClientAddress } from '../http/client-address';
import { appendCookies, applySharedComputerExpiry, type RequestWithCookies } from '../http/cookies';
import { createFlowId, type FlowPurpose } from '../one-time-codes';
import { getKnownBrowser } from './known-browser';
import { equalizeTiming } from './equalize-timing';
import { buildFlowCookies, findOpenFlow } from './flows';
import { consumeEmailBudgets, RESEND_AFTER_SECONDS, type EmailPurpose } from './limits';
import type { FlowContext } from './action-links';
import { getFlowContext, waitingCookies } from './email-context';

type EmailRequest<P extends EmailPurpose> = {
  purpose: P;
  email: string;
  /** The user selected "Resend code" in this flow: refused until the delay is over. */
  again?: { flow: string };
};

/** Response of every call that sends an email: seconds until the next email may be requested. */
export const EMAIL_SENT = { resendAfter: RESEND_AFTER_SECONDS };

/**
 * Runs work that sends an email: rate-limited first, and with a response time that does not reveal whether the account
 * exists.
 * @param work sends the email; given its branding and link target
 * @throws ApiProblem `too-many-requests`, and any error of the work
 */
export async function emailAndRespond<T>(
  req: RequestWithCookies,
  { purpose, email, again }: EmailRequest<EmailPurpose>,
  work: (context: FlowContext) => Promise<T>,
): Promise<{ result: T; flow: string }> {
  const [openFlow, browser] = await Promise.all([
    again ? again.flow : getOpenFlow(req, purpose, email),
    getKnownBrowser(req, email),
  ]);
  const flow = openFlow ?? createFlowId();
  const requester = { purpose, email, network: getClientAddress(req, 48), openFlow, browser };
  await consumeEmailBudgets(requester, flow, { again: again !== undefined });
  const result = await equalizeTiming(async () => work({ ...(await getFlowContext(req)), flow }));
  return { result, flow };
}

/**
 * The same for work that emails a code: the browser gets the flow's token in a cookie, and its page the flow's id.
 * @param work emails the code; returns the token
 */
export async function emailCodeAndRespond(
  { req, res }: { req: NextApiRequest; res: NextApiResponse },
  request: EmailRequest<FlowPurpose>,
  work: (context: FlowContext) => Promise<string>,
): Promise<typeof EMAIL_SENT & { flow: string }> {
  const { purpose, email, again } = request;
  const { result: token, flow } = await emailAndRespond(req, request, work);
  const cookies = await buildFlowCookies(req, { purpose, flow, token, isNew: again === undefined });
  appendCookies(res, applySharedComputerExpiry(req, [...cookies, ...waitingCookies(purpose, email)]));
  return { ...EMAIL_SENT, flow };
}

async function getOpenFlow(req: RequestWithCookies, purpose: EmailPurpose, email: string): Promise<string | null> {
  const hasCode = purpose === 'confirm-email' || purpose === 'reset-password';
  return hasCode ? findOpenFlow(req, purpose, email) : null;
}
