import type { NextApiRequest, NextApiResponse } from 'next';
import {
  assertMailServerReachable,
  getKnownBrowser,
  type FlowContext,
  getFlowContext,
  waitingCookies,
} from '@/lib/server/notifications';
import { getClientAddress } from '@/lib/server/runtime';
import { appendCookies, applySharedComputerExpiry, type RequestWithCookies } from '@/lib/server/http';
import { createFlowId, type FlowPurpose } from '@/lib/server/codes';
import { assertProviderReachable } from '@/lib/server/identity';
import { buildFlowCookies, findOpenFlow } from './flows';
import { consumeEmailBudgets, RESEND_AFTER_SECONDS, type EmailPurpose } from './limits';
import { assertPlaceForEmail, sendBehindResponse } from './email-queue';
import type { PreparedEmail } from './requested-email';

type Call = { req: NextApiRequest; res: NextApiResponse };

type EmailRequest<P extends EmailPurpose> = {
  purpose: P;
  email: string;
  /** The user selected "Resend code" in this flow: refused until the delay is over. */
  again?: { flow: string };
};

/** Response of every call that sends an email: seconds until the next email may be requested. */
export const EMAIL_SENT = { resendAfter: RESEND_AFTER_SECONDS };

/**
 * Sends an email behind the response, rate-limited first: nothing about the account is read before the response is sent.
 * @param prepare given the email's branding and link target
 * @throws ApiProblem `mail-unavailable`, 503, `too-many-requests`, and any error of `prepare`
 */
export async function emailAndRespond<T>(
  { req, res }: Call,
  { purpose, email, again }: EmailRequest<EmailPurpose>,
  prepare: (context: FlowContext & { flow: string }) => PreparedEmail<T> | Promise<PreparedEmail<T>>,
): Promise<{ result: T; flow: string }> {
  await Promise.all([assertMailServerReachable(), assertProviderReachable()]);
  const requested = await getFlowContext(req);
  assertPlaceForEmail(requested);
  const [openFlow, browser] = await Promise.all([
    again ? again.flow : getOpenFlow(req, purpose, email),
    getKnownBrowser(req, email),
  ]);
  const flow = openFlow ?? createFlowId();
  const requester = { purpose, email, network: getClientAddress(req, 48), openFlow, browser };
  await consumeEmailBudgets(requester, flow, { again: again !== undefined });
  const context = { ...requested, flow };
  const prepared = await prepare(context);
  await sendBehindResponse(res, prepared.email, context);
  return { result: prepared.result, flow };
}

/**
 * The same for an email with a code: the browser gets the flow's token in a cookie, and its page the flow's id.
 * @param prepare its result is the token
 */
export async function emailCodeAndRespond(
  call: Call,
  request: EmailRequest<FlowPurpose>,
  prepare: (context: FlowContext & { flow: string }) => Promise<PreparedEmail<string>>,
): Promise<typeof EMAIL_SENT & { flow: string }> {
  const { req, res } = call;
  const { purpose, email, again } = request;
  const { result: token, flow } = await emailAndRespond(call, request, prepare);
  const cookies = await buildFlowCookies(req, { purpose, flow, token, isNew: again === undefined });
  appendCookies(res, applySharedComputerExpiry(req, [...cookies, ...waitingCookies(purpose, email)]));
  return { ...EMAIL_SENT, flow };
}

async function getOpenFlow(req: RequestWithCookies, purpose: EmailPurpose, email: string): Promise<string | null> {
  const hasCode = purpose === 'confirm-email' || purpose === 'reset-password';
  return hasCode ? findOpenFlow(req, purpose, email) : null;
}
