import type { NextApiRequest, NextApiResponse } from 'next';
import * as z from 'zod/mini';
import { createFlowId, invalidateCode, readToken, type FlowPurpose, type ReadToken } from '@/lib/server/codes';
import {
  readCookie,
  ownRoute,
  appendCookies,
  applySharedComputerExpiry,
  buildClearFlowCookie,
  buildSetCookie,
  buildSetFlowCookie,
  getFlowCookies,
  requireProofBeyond,
  type RequestCookies,
  type RequestWithCookies,
  type Route,
} from '@/lib/server/http';
import { assertProviderReachable } from '@/lib/server/identity';
import {
  assertMailServerReachable,
  getFlowContext,
  getKnownBrowser,
  waitingCookies,
  type FlowContext,
} from '@/lib/server/notifications';
import { digest, getClientAddress } from '@/lib/server/runtime';
import { digestFlowBrowser, ensureDeviceSecret, readDevice } from '@/lib/server/session';
import { LIMITS, consumeLimit, recordHit, type LimitName } from '@/lib/server/storage';
import { emailField } from '@/lib/shared/account/fields';
import { nullOnProblem } from '@/lib/shared/problem';
import { assertPlaceForEmail, sendBehindResponse } from './email-queue';
import type { FlowOfBrowser } from './confirmation';
import type { PreparedEmail, RequestedEmailKind } from './requested-email';

const body = z.object({ email: emailField });

/**
 * A route for own pages that emails the given address a link or other help, behind the response, which reveals neither what was sent nor
 * whether an account exists.
 * @param purpose what the email is for
 * @param cookies `Set-Cookie` values of the response
 */
export function emailRoute(
  purpose: Extract<EmailPurpose, RequestedEmailKind>,
  cookies: (request: { req: NextApiRequest; email: string; flow: string }) => string[] = () => [],
): Route {
  return ownRoute({ body, limit: 'email-by-client' }, async ({ req, res, body: { email } }) => {
    const { flow } = await emailAndRespond({ req, res }, { purpose, email }, () => ({
      result: null,
      email: { kind: purpose, email },
    }));
    appendCookies(res, cookies({ req, email, flow }));
    return EMAIL_SENT;
  });
}

/** Seconds until "Resend code" may be used (docs/product.md#screens). */
export const RESEND_AFTER_SECONDS = LIMITS.resend.seconds;

/** What an email is for. Each purpose has its own budgets, so that exhausting one leaves the others. */
export type EmailPurpose = FlowPurpose | 'sign-in-link' | 'sign-in-help' | 'factor-reset';

export type EmailRequester = {
  /** `any`: all together. */
  purpose: EmailPurpose | 'any';
  email: string;
  /** The client's network, as returned by `getClientAddress`: a /48 for IPv6. */
  network: string;
  /** Flow of the open token that the browser holds for this purpose and email; null without one. */
  openFlow: string | null;
  /** Id of the browser when the email has signed in with it; null otherwise. */
  browser: string | null;
};

type Budget = { limit: LimitName; key: string };

/**
 * The budgets that an email counts against (docs/adr/0006). Unknown clients are limited by network and overall. A
 * browser with an open token, or in which the email has signed in, has its own budget: it neither consumes theirs nor
 * is blocked by them.
 */
export function getEmailBudgets({ purpose, email, network, openFlow, browser }: EmailRequester): Budget[] {
  if (openFlow !== null) return [{ limit: 'email-of-flow', key: openFlow }];
  const mailbox = `${purpose}:${digest(getMailbox(email))}`;
  const [one, all] = browser === null ? [`network:${network}`, 'networks'] : [`browser:${browser}`, 'browsers'];
  // The order matters: requests refused for one client must not count against the overall budget.
  return [
    { limit: 'email-to-address', key: `${mailbox}:${one}` },
    { limit: 'email-to-address-overall', key: `${mailbox}:${all}` },
  ];
}

/** Both domains are the same, and dots in the local part are ignored. */
const GMAIL = /^([^@]+)@(?:gmail|googlemail)\.com$/;

/**
 * The mailbox that an email is delivered to, for counting only: `mia+1@` and `mia+2@` are one mailbox (RFC 5233), and
 * so are all placements of dots at Gmail. Quotes and backslashes of a quoted local part are ignored (RFC 5322, section
 * 3.2.4); accounts created outside this app may have them. Accounts are looked up by the email as written.
 */
export function getMailbox(email: string): string {
  const unquoted = email.toLowerCase().replaceAll(/["\\]/g, '');
  const untagged = unquoted.replace(/^([^+@]+)\+[^@]*@/, '$1@');
  return untagged.replace(GMAIL, (_, local: string) => `${local.replaceAll('.', '')}@gmail.com`);
}

/**
 * Counts an email, whether or not it has an account, and starts the flow's delay until the next one.
 * @param flow the flow that the email belongs to
 * @param again the user selected "Resend code": refused until the delay is over
 * @throws ApiProblem `too-many-requests`
 */
async function consumeEmailBudgets(
  requester: EmailRequester,
  flow: string,
  { again }: { again: boolean },
): Promise<void> {
  await (again ? consumeLimit('resend', flow) : recordHit('resend', flow));
  for (const { limit, key } of getEmailBudgets(requester)) await consumeLimit(limit, key);
}

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
  prepare: (context: FlowContext & FlowOfBrowser) => PreparedEmail<T> | Promise<PreparedEmail<T>>,
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
  // Before budgets are used up, which are the owner's, too. For all purposes together, and in an open flow as well, which any browser gets by
  // asking: a proof keeps no email from its owner.
  const soft = getEmailBudgets({ ...requester, purpose: 'any', openFlow: null });
  const isKnownBrowser = browser !== null;
  await requireProofBeyond(req, soft, { isKnownBrowser });
  // After it: calls about one address must not make all others bring proofs.
  await requireProofBeyond(req, [{ watch: 'emails-overall', key: 'all' }], { isKnownBrowser });
  await consumeEmailBudgets(requester, flow, { again: again !== undefined });
  const device = ensureDeviceSecret(readDevice(req));
  const context = { ...requested, flow, browser: digestFlowBrowser(device) ?? '' };
  if (device.secret !== null)
    appendCookies(res, applySharedComputerExpiry(req, [buildSetCookie('device', device.secret)]));
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
  prepare: (context: FlowContext & FlowOfBrowser) => Promise<PreparedEmail<string>>,
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

/**
 * Flows that one browser can have open at a time, of both purposes together: their cookies go to every server of the
 * main domain, whose limits for request headers start at 8 KiB.
 */
export const MAX_FLOWS = 4;

const FLOW_COOKIES = { 'confirm-email': 'emailConfirmationToken', 'reset-password': 'passwordReset' } as const;
const PURPOSES = ['confirm-email', 'reset-password'] as const satisfies FlowPurpose[];

type Flow = ReadToken & { purpose: FlowPurpose };

/**
 * The token that a request is about.
 * @param flow the flow of the page that sent it; undefined for one whose address has none: then it is the newest
 * @returns undefined when this browser has none
 */
export async function getFlowToken(
  req: RequestCookies,
  purpose: FlowPurpose,
  flow: string | undefined,
): Promise<string | undefined> {
  const key = FLOW_COOKIES[purpose];
  const named = getFlowCookies(req, key).find((cookie) => cookie.flow === flow)?.value;
  const own = flow === undefined ? readCookie(req, key) : named;
  const content = await nullOnProblem(readToken(purpose, own));
  // An expired token is returned, for the message. A token under the name of another flow is not its token, nor is one of another browser.
  if (content === null) return own;
  return isOfBrowser(req, content) && (flow ?? content.flow) === content.flow ? own : undefined;
}

/** Any host of the main domain can plant the cookie of a flow: its token counts in the browser that it was made for. */
function isOfBrowser(req: RequestCookies, { browser }: Pick<ReadToken, 'browser'>): boolean {
  return browser === null || browser === digestFlowBrowser(readDevice(req));
}

/** All tokens of a purpose that were made for this browser. */
export async function getFlowTokens(req: RequestCookies, purpose: FlowPurpose): Promise<string[]> {
  const key = FLOW_COOKIES[purpose];
  const tokens = [readCookie(req, key), ...getFlowCookies(req, key).map(({ value }) => value)];
  const given = [...new Set(tokens.flatMap((token) => token ?? []))];
  const contents = await Promise.all(given.map((token) => nullOnProblem(readToken(purpose, token))));
  return given.filter((_, at) => contents[at] && isOfBrowser(req, contents[at]));
}

/** The flow that this browser has open for a purpose and email, the newest of several; null when there is none. */
export async function findOpenFlow(req: RequestCookies, purpose: FlowPurpose, email: string): Promise<string | null> {
  const flows = await readFlows(req, purpose);
  return flows.find(({ payload, isUsed }) => !isUsed && payload.email === email)?.flow ?? null;
}

/** Ends the password resets that this browser has open for an email, after the emailed link set its password. */
export async function invalidateResets(req: RequestCookies, email: string): Promise<void> {
  const tokens = await getFlowTokens(req, 'reset-password');
  const contents = await Promise.all(tokens.map((token) => nullOnProblem(readToken('reset-password', token))));
  const ended = tokens.filter((_, at) => contents[at]?.payload.email === email);
  await Promise.all(ended.map((token) => invalidateCode('reset-password', token)));
}

/**
 * `Set-Cookie` values for a flow's new token. Beyond `MAX_FLOWS`, completed flows are deleted first, then the oldest.
 * @param isNew the flow begins; "Resend code" in an older one does not make it the newest
 */
export async function buildFlowCookies(
  req: RequestCookies,
  { purpose, flow, token, isNew }: { purpose: FlowPurpose; flow: string; token: string; isNew: boolean },
): Promise<string[]> {
  const key = FLOW_COOKIES[purpose];
  const newest = await nullOnProblem(readToken(purpose, await getFlowToken(req, purpose, undefined)));
  const isNewest = isNew || newest === null || newest.flow === flow;
  return [
    ...(isNewest ? [buildSetCookie(key, token)] : []),
    buildSetFlowCookie(key, flow, token),
    ...(await getSurplusFlows(req, flow)).map((surplus) =>
      buildClearFlowCookie(FLOW_COOKIES[surplus.purpose], surplus.flow),
    ),
  ];
}

/** The flows' cookies to delete when `added` gets one, and those that no longer contain a valid token. */
async function getSurplusFlows(req: RequestCookies, added: string): Promise<Pick<Flow, 'purpose' | 'flow'>[]> {
  const cookies = PURPOSES.flatMap((purpose) =>
    getFlowCookies(req, FLOW_COOKIES[purpose]).map(({ flow }) => ({ purpose, flow })),
  );
  const valid = (await Promise.all(PURPOSES.map((purpose) => readFlows(req, purpose)))).flat();
  const kept = valid
    .filter(({ flow }) => flow !== added)
    .sort((a, b) => Number(a.isUsed) - Number(b.isUsed) || b.issuedAt - a.issuedAt)
    .slice(0, MAX_FLOWS - 1);
  return cookies.filter(({ flow }) => flow !== added && !kept.some((one) => one.flow === flow));
}

/** The flows of this browser, newest first. */
async function readFlows(req: RequestCookies, purpose: FlowPurpose): Promise<Flow[]> {
  const tokens = (await getFlowTokens(req, purpose)).toReversed();
  const contents = await Promise.all(tokens.map((token) => nullOnProblem(readToken(purpose, token))));
  const flows = contents.flatMap((content) => (content ? [{ ...content, purpose }] : []));
  // Issue times are whole seconds. Of two in the same second, the later cookie is the newer flow.
  return flows.sort((a, b) => b.issuedAt - a.issuedAt);
}
