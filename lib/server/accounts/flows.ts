import { nullOnProblem } from '@/lib/shared/problem';
import { cookieTable } from '@/lib/shared/cookie-table';
import { env } from '@/lib/server/runtime';
import {
  buildClearFlowCookie,
  buildSetCookie,
  buildSetFlowCookie,
  getFlowCookies,
  type RequestCookies,
} from '@/lib/server/http';
import { invalidateCode, readToken, type FlowPurpose, type ReadToken } from '@/lib/server/codes';

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
 * @param flow the flow of the page that sent it; undefined for pages of the version before, and for an address without
 *   one: then it is the newest
 * @returns undefined when this browser has none
 */
export async function getFlowToken(
  req: RequestCookies,
  purpose: FlowPurpose,
  flow: string | undefined,
): Promise<string | undefined> {
  const newest = req.cookies[cookieTable[FLOW_COOKIES[purpose]].name];
  if (flow === undefined) return newest;
  const own = getFlowCookies(req, FLOW_COOKIES[purpose]).find((cookie) => cookie.flow === flow)?.value;
  if (own !== undefined) {
    const content = await nullOnProblem(readToken(purpose, own));
    // An expired token is returned, for the message. A token under the name of another flow is not its token.
    if (content === null || content.flow === flow) return own;
  }
  // Begun by the version before, which set this cookie only.
  const content = await nullOnProblem(readToken(purpose, newest));
  return content?.flow === flow ? newest : undefined;
}

/** All tokens of a purpose that this browser has, not verified. */
export function getFlowTokens(req: RequestCookies, purpose: FlowPurpose): string[] {
  const key = FLOW_COOKIES[purpose];
  const tokens = [req.cookies[cookieTable[key].name], ...getFlowCookies(req, key).map(({ value }) => value)];
  return [...new Set(tokens.flatMap((token) => token ?? []))];
}

/** The flow that this browser has open for a purpose and email, the newest of several; null when there is none. */
export async function findOpenFlow(req: RequestCookies, purpose: FlowPurpose, email: string): Promise<string | null> {
  const flows = await readFlows(req, purpose);
  return flows.find(({ payload, isUsed }) => !isUsed && payload.email === email)?.flow ?? null;
}

/** Ends the password resets that this browser has open for an email, after the emailed link set its password. */
export async function invalidateResets(req: RequestCookies, email: string): Promise<void> {
  const tokens = getFlowTokens(req, 'reset-password');
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
  const { NEXT_PUBLIC_MAIN_DOMAIN: domain } = env();
  const key = FLOW_COOKIES[purpose];
  const newest = await nullOnProblem(readToken(purpose, req.cookies[cookieTable[key].name]));
  const isNewest = isNew || newest === null || newest.flow === flow;
  return [
    ...(isNewest ? [buildSetCookie(key, token, domain)] : []),
    buildSetFlowCookie(key, flow, token, domain),
    ...(await getSurplusFlows(req, flow)).map((surplus) =>
      buildClearFlowCookie(FLOW_COOKIES[surplus.purpose], surplus.flow, domain),
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
  const tokens = getFlowTokens(req, purpose).toReversed();
  const contents = await Promise.all(tokens.map((token) => nullOnProblem(readToken(purpose, token))));
  const flows = contents.flatMap((content) => (content ? [{ ...content, purpose }] : []));
  // Issue times are whole seconds. Of two in the same second, the later cookie is the newer flow.
  return flows.sort((a, b) => b.issuedAt - a.issuedAt);
}
