import { randomUUID } from 'node:crypto';
import { nullOnProblem } from '@/lib/shared/problem';
import { cookieTable } from '@/lib/shared/cookie-table';
import { getClientAddress } from '../http/client-address';
import type { RequestWithCookies } from '../http/cookies';
import { readToken } from '../one-time-codes';
import { getKnownBrowser } from './known-browser';
import { equalizeTiming } from './equalize-timing';
import { consumeEmailBudgets, RESEND_AFTER_SECONDS, type EmailPurpose } from './limits';
import type { FlowContext } from './action-links';
import { getFlowContext } from './email-context';

type EmailRequest = {
  purpose: EmailPurpose;
  email: string;
  /** The user selected "Resend code": refused until the delay is over. */
  again?: boolean;
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
  { purpose, email, again = false }: EmailRequest,
  work: (context: FlowContext) => Promise<T>,
): Promise<T> {
  const [openFlow, browser] = await Promise.all([getOpenFlow(req, purpose, email), getKnownBrowser(req, email)]);
  const flow = openFlow ?? randomUUID();
  await consumeEmailBudgets({ purpose, email, network: getClientAddress(req, 48), openFlow, browser }, flow, { again });
  return equalizeTiming(async () => work({ ...(await getFlowContext(req)), flow }));
}

/**
 * The flow of the token that this browser holds for a purpose and email; null when there is none, or it has expired.
 */
async function getOpenFlow(req: RequestWithCookies, purpose: EmailPurpose, email: string): Promise<string | null> {
  if (purpose !== 'confirm-email' && purpose !== 'reset-password') return null;
  const { name } = purpose === 'confirm-email' ? cookieTable.emailConfirmationToken : cookieTable.passwordReset;
  const token = await nullOnProblem(readToken(purpose, req.cookies[name]));
  return token?.payload.email === email ? token.flow : null;
}
