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
import { LIMITS, assertRecordsReachable, consumeLimit, recordHit, type LimitName } from '@/lib/server/storage';
import { emailField } from '@/lib/shared/account/fields';
import { nullOnProblem } from '@/lib/shared/problem';
import { assertPlaceForEmail, sendBehindResponse } from './email-queue';
import type { FlowOfBrowser } from './confirmation';
import type { PreparedEmail } from './requested-email';

const body = z.object({ email: emailField });

/**
 * Defines a route for our own pages that emails help to the given address. The email is sent behind the
 * response, which reveals neither its contents nor whether an account exists.
 * @param purpose what the email is for
 */
export function emailRoute(purpose: 'sign-in-help'): Route {
  return ownRoute({ body, limit: 'email-by-client' }, async ({ body: { email }, ...call }) => {
    await emailAndRespond(call, { purpose, email }, () => ({ result: null, email: { kind: purpose, email } }));
    return EMAIL_SENT;
  });
}

/** Seconds until "Resend code" may be used (docs/product.md#screens). */
export const RESEND_AFTER_SECONDS = LIMITS.resend.seconds;

/** What an email is for. Each purpose has its own budgets, so that exhausting one of them leaves the others. */
export type EmailPurpose = FlowPurpose | 'sign-in-help' | 'factor-reset' | 'email-change';

export type EmailRequester = {
  /** `any`: all purposes together. */
  purpose: EmailPurpose | 'any';
  email: string;
  /** The client's network, as returned by `getClientAddress`, with a /48 for IPv6. */
  network: string;
  /** The flow of the open token that the browser holds for this purpose and email. Null without a token. */
  openFlow: string | null;
  /** Id of the browser if the email has signed in with it. Null otherwise. */
  browser: string | null;
};

type Budget = { limit: LimitName; key: string };

/**
 * Returns the budgets that an email counts against (docs/adr/0006). Unknown clients share budgets by network and
 * overall. A browser with an open token, or with a sign-in of the email, has its own budget. It neither uses the shared
 * budgets nor is blocked by them.
 */
export function getEmailBudgets({ purpose, email, network, openFlow, browser }: EmailRequester): Budget[] {
  if (openFlow !== null) return [{ limit: 'email-of-flow', key: openFlow }];
  const mailbox = `${purpose}:${digest(getMailbox(email))}`;
  const [one, all] = browser === null ? [`network:${network}`, 'networks'] : [`browser:${browser}`, 'browsers'];
  // Keep this order, because requests refused for a single client must not count against the overall budget.
  return [
    { limit: 'email-to-address', key: `${mailbox}:${one}` },
    { limit: 'email-to-address-overall', key: `${mailbox}:${all}` },
  ];
}

/** Gmail treats both domains as the same, and ignores dots in the local part. */
const GMAIL = /^([^@]+)@(?:gmail|googlemail)\.com$/;

/**
 * Returns the mailbox of an email, only for counting. `mia+1@` and `mia+2@` are the same mailbox (RFC 5233), and so are
 * all placements of dots at Gmail. Quotes and backslashes of a quoted local part are ignored (RFC 5322, section 3.2.4),
 * because accounts created outside this app may have them. Accounts are looked up by the email as written.
 */
export function getMailbox(email: string): string {
  const unquoted = email.toLowerCase().replaceAll(/["\\]/g, '');
  const untagged = unquoted.replace(/^([^+@]+)\+[^@]*@/, '$1@');
  return untagged.replace(GMAIL, (_, local: string) => `${local.replaceAll('.', '')}@gmail.com`);
}

/**
 * Counts an email, whether or not it has an account, and starts the flow's delay until the next email.
 * @param flow the flow that the email belongs to
 * @param again the user selected "Resend code", which is refused until the delay is over
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
  /** The user selected "Resend code" in this flow, which is refused until the delay is over. */
  again?: { flow: string };
};

/** Response of every call that sends an email: seconds until the next email may be requested. */
export const EMAIL_SENT = { resendAfter: RESEND_AFTER_SECONDS };

/**
 * Sends an email behind the response, after the rate limits. It reads no data of the account before the response is
 * sent.
 * @param prepare receives the email's branding and link target
 * @throws ApiProblem `mail-unavailable`, `records-unavailable`, `too-many-requests`, 503, and any error of `prepare`
 */
export async function emailAndRespond<T>(
  { req, res }: Call,
  { purpose, email, again }: EmailRequest<EmailPurpose>,
  prepare: (context: FlowContext & FlowOfBrowser) => PreparedEmail<T> | Promise<PreparedEmail<T>>,
): Promise<{ result: T; flow: string }> {
  assertRecordsReachable();
  await Promise.all([assertMailServerReachable(), assertProviderReachable()]);
  const requested = await getFlowContext(req);
  assertPlaceForEmail(requested);
  const [openFlow, browser] = await Promise.all([
    again ? again.flow : getOpenFlow(req, purpose, email),
    getKnownBrowser(req, email),
  ]);
  const flow = openFlow ?? createFlowId();
  const requester = { purpose, email, network: getClientAddress(req, 48), openFlow, browser };
  // Require the proof before using up budgets, which are also the owner's. It counts all purposes together, and open
  // flows too, because any browser can open a flow. A proof withholds no email from its owner.
  const soft = getEmailBudgets({ ...requester, purpose: 'any', openFlow: null });
  const isKnownBrowser = browser !== null;
  await requireProofBeyond(req, soft, { isKnownBrowser });
  // Check it second, because calls about a single address must not make all other callers bring proofs.
  await requireProofBeyond(req, [{ watch: 'emails-overall', key: 'all' }], { isKnownBrowser });
  await consumeEmailBudgets(requester, flow, { again: again !== undefined });
  const device = ensureDeviceSecret(readDevice(req));
  const context = { ...requested, flow, browser: digestFlowBrowser(device) ?? '' };
  appendCookies(res, applySharedComputerExpiry(req, [buildSetCookie('device', device.secret)]));
  const prepared = await prepare(context);
  await sendBehindResponse(res, prepared.email, context);
  return { result: prepared.result, flow };
}

/**
 * Sends an email with a code behind the response. The browser gets the flow's token in a cookie, and its page gets the
 * flow's id.
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
  return isFlowPurpose(purpose) ? findOpenFlow(req, purpose, email) : null;
}

/**
 * Maximum number of open flows of a browser, for all purposes together. Their cookies are sent to every server of the
 * main domain, whose limits for request headers start at 8 KiB.
 */
export const MAX_FLOWS = 4;

const FLOW_COOKIES = {
  'confirm-email': 'emailConfirmationToken',
  'reset-password': 'passwordReset',
  'sign-in': 'signInCode',
} as const satisfies Record<FlowPurpose, string>;
const PURPOSES = ['confirm-email', 'reset-password', 'sign-in'] as const satisfies FlowPurpose[];
const isFlowPurpose = (purpose: EmailPurpose): purpose is FlowPurpose => PURPOSES.some((each) => each === purpose);

type Flow = ReadToken & { purpose: FlowPurpose };

/**
 * Returns the token that a request is about, or undefined if this browser has none.
 * @param flow the flow of the page; undefined if its address has none, which selects the newest flow
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
  // Return an expired token too, so that the page can show the message. A token under another flow's name, or of
  // another browser, is not valid.
  if (content === null) return own;
  return isOfBrowser(req, content) && (flow ?? content.flow) === content.flow ? own : undefined;
}

/**
 * Any host of the main domain can plant the cookie of a flow, so its token is valid only in the browser that it was
 * made for. If two flows begin simultaneously in a browser without a secret, only the flow with the last response
 * remains.
 */
function isOfBrowser(req: RequestCookies, { browser }: Pick<ReadToken, 'browser'>): boolean {
  return browser === null || browser === digestFlowBrowser(readDevice(req));
}

/** Returns all tokens of a purpose that were made for this browser. */
export async function getFlowTokens(req: RequestCookies, purpose: FlowPurpose): Promise<string[]> {
  const key = FLOW_COOKIES[purpose];
  const tokens = [readCookie(req, key), ...getFlowCookies(req, key).map(({ value }) => value)];
  const given = [...new Set(tokens.flatMap((token) => token ?? []))];
  const contents = await Promise.all(given.map((token) => nullOnProblem(readToken(purpose, token))));
  return given.filter((_, at) => contents[at] && isOfBrowser(req, contents[at]));
}

/** Returns the newest flow that this browser has open for a purpose and email. Null if there is none. */
export async function findOpenFlow(req: RequestCookies, purpose: FlowPurpose, email: string): Promise<string | null> {
  const flows = await readFlows(req, purpose);
  return flows.find(({ payload, isUsed }) => !isUsed && payload.email === email)?.flow ?? null;
}

/** Ends this browser's open password resets for an email, after the emailed link has set its password. */
export async function invalidateResets(req: RequestCookies, email: string): Promise<void> {
  const tokens = await getFlowTokens(req, 'reset-password');
  const contents = await Promise.all(tokens.map((token) => nullOnProblem(readToken('reset-password', token))));
  const ended = tokens.filter((_, at) => contents[at]?.payload.email === email);
  await Promise.all(ended.map((token) => invalidateCode('reset-password', token)));
}

/**
 * Builds the `Set-Cookie` values for a flow's new token. Above `MAX_FLOWS`, completed flows are deleted first, then the
 * oldest.
 * @param isNew the flow begins; "Resend code" in an older flow does not make it the newest
 */
export async function buildFlowCookies(
  req: RequestCookies,
  { purpose, flow, token, isNew }: { purpose: FlowPurpose; flow: string; token: string; isNew: boolean },
): Promise<string[]> {
  const key = FLOW_COOKIES[purpose];
  const newest = await nullOnProblem(readToken(purpose, await getFlowToken(req, purpose, undefined)));
  // The page of a sign-in always names its flow, so that a third cookie fits the budget.
  const isNewest = purpose !== 'sign-in' && (isNew || newest === null || newest.flow === flow);
  return [
    ...(isNewest ? [buildSetCookie(key, token)] : []),
    buildSetFlowCookie(key, flow, token),
    ...(await getSurplusFlows(req, flow)).flatMap((surplus) => [
      buildClearFlowCookie(FLOW_COOKIES[surplus.purpose], surplus.flow),
      ...(surplus.purpose === 'confirm-email' ? [buildClearFlowCookie('newAccount', surplus.flow)] : []),
    ]),
  ];
}

/** Lists the flows' cookies to delete for the flow `added`, and cookies that no longer contain a valid token. */
async function getSurplusFlows(req: RequestCookies, added: string): Promise<Pick<Flow, 'purpose' | 'flow'>[]> {
  const cookies = PURPOSES.flatMap((purpose) =>
    getFlowCookies(req, FLOW_COOKIES[purpose]).map(({ flow }) => ({ purpose, flow })),
  );
  const valid = (await Promise.all(PURPOSES.map((purpose) => readFlows(req, purpose)))).flat();
  // Issue times are whole seconds. Within the same second, the cookie that the browser sends later is the newer flow.
  const names = Object.keys(req.cookies);
  const getPlace = ({ flow }: Flow) => names.findLastIndex((name) => name.endsWith(`-${flow}`));
  const kept = valid
    .filter(({ flow }) => flow !== added)
    .sort((a, b) => Number(a.isUsed) - Number(b.isUsed) || b.issuedAt - a.issuedAt || getPlace(b) - getPlace(a))
    .slice(0, MAX_FLOWS - 1);
  return cookies.filter(({ flow }) => flow !== added && !kept.some((one) => one.flow === flow));
}

/** Returns the flows of this browser, newest first. */
async function readFlows(req: RequestCookies, purpose: FlowPurpose): Promise<Flow[]> {
  const tokens = (await getFlowTokens(req, purpose)).toReversed();
  const contents = await Promise.all(tokens.map((token) => nullOnProblem(readToken(purpose, token))));
  const flows = contents.flatMap((content) => (content ? [{ ...content, purpose }] : []));
  // Issue times are whole seconds. Within the same second, the later cookie is the newer flow.
  return flows.sort((a, b) => b.issuedAt - a.issuedAt);
}
