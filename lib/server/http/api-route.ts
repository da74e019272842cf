import type { IncomingMessage, ServerResponse } from 'node:http';
import { decodeJwt, type JWTPayload } from 'jose';
import type { NextApiHandler, NextApiRequest, NextApiResponse } from 'next';
import type { z } from 'zod';
import {
  countRefusal,
  countResponse,
  digest,
  env,
  getClientAddress,
  getRouteName,
  isEqualInConstantTime,
  logResponse,
  readRequestId,
  runWithRequest,
  settle,
} from '@/lib/server/runtime';
import { consumeLimit, getLimit, type Hit, type LimitName } from '@/lib/server/storage';
import { PAGE_ACCOUNT_HEADER, PROOF_HEADER, isOtherAccount } from '@/lib/shared/request-headers';
import { reportError } from '@/lib/shared/error-reporting/report';
import { ApiProblem, PROBLEM_MEDIA_TYPE, isApiProblem, type ProblemCode } from '@/lib/shared/problem';
import { assertContentLength, getMediaType, readBody, readBytes, validate } from './body';
import {
  appendCookies,
  buildClearRepeatedCookies,
  keepSessionCookies,
  readCookie,
  readSessionCookies,
  type RequestCookies,
  type RequestWithCookies,
} from './cookies';
import { apiOnly, dataOnly, everywhere, notTheHelper } from './document/response-headers.json';
import { assertAllowedOrigin, assertOwnOrigin, getCorsHeaders, type Audience } from './origins';
import { requireProofBeyond } from './proof-of-work';

/**
 * Refuses a call from a page that shows another account than the session's. It only ever refuses: whether the session
 * is live is checked separately, so its cookie need not be verified here, and sign-out works while the provider is
 * unreachable.
 * @throws ApiProblem `other-account`
 */
function assertPageAccount(req: RequestWithCookies): void {
  const named = req.headers[PAGE_ACCOUNT_HEADER];
  assertSameAccount(req, Array.isArray(named) ? named.join() : named);
}

/** The same for an account that the caller names in another way. @throws ApiProblem `other-account` */
export function assertSameAccount(req: RequestCookies, named: string | undefined): void {
  const sessions = readSessionCookies(req);
  const ofAccount = sessions.filter((session) => !isOtherAccount(named, getCookieAccount(req, session)));
  if (ofAccount.length === sessions.length) return;
  if (ofAccount.length === 0) throw new ApiProblem('other-account');
  keepSessionCookies(req, ofAccount);
}

/** The account that a session cookie names, not verified. */
function getCookieAccount(req: RequestCookies, session: string): string | null {
  const claims = readUnverified(session);
  // Without claims it is of another identity deployment, which sets the other cookie with every session.
  return claims === null ? (readCookie(req, 'userId') ?? null) : (claims.sub ?? null);
}

/** The claims of a token that is not verified here; null for what is no token. */
export function readUnverified(token: string): JWTPayload | null {
  try {
    return decodeJwt(token);
  } catch {
    return null;
  }
}

/** The encoding in which OAuth libraries send a token request (RFC 6749, section 4.1.3). */
export const FORM_MEDIA_TYPE = 'application/x-www-form-urlencoded';

/** The only grant type of the token call. */
export const GRANT_TYPE = 'authorization_code';

/** The error codes of RFC 6749, section 5.2, for our problem codes. The others are sent as problems. */
export const OAUTH_ERRORS = {
  'bad-request': 'invalid_request',
  invalid_grant: 'invalid_grant',
  unsupported_grant_type: 'unsupported_grant_type',
} as const satisfies Partial<Record<ProblemCode, string>>;

const DESCRIPTIONS = {
  invalid_request: 'The request is malformed',
  invalid_grant: 'The code or its verifier is not valid, or the code was used; start again',
  unsupported_grant_type: 'Only authorization_code is supported',
} as const;

function isTokenForm(req: Pick<IncomingMessage, 'headers'>): boolean {
  return getMediaType(req) === FORM_MEDIA_TYPE;
}

/**
 * Reads and validates a token request in form encoding. Browsers send forms across sites without a preflight, so a form
 * from a page of another origin is refused; mobile apps and servers send neither header.
 * @throws ApiProblem `foreign-origin`, `body-too-large`, `bad-request` or `unsupported_grant_type`
 */
async function readTokenForm<T>(req: IncomingMessage, schema: z.core.$ZodType<T>): Promise<T> {
  if (req.headers.origin !== undefined || req.headers['sec-fetch-site'] !== undefined) assertOwnOrigin(req);
  const parameters = [...new URLSearchParams((await readBytes(req)).toString('utf8'))];
  const names = new Set(parameters.map(([name]) => name));
  // RFC 6749, section 3.2: parameters must not be included more than once.
  if (names.size < parameters.length) throw new ApiProblem('bad-request', { detail: 'A parameter is repeated' });
  const request = Object.fromEntries(parameters);
  const isOtherGrant = request.grant_type !== undefined && request.grant_type !== GRANT_TYPE;
  if (isOtherGrant) throw new ApiProblem('unsupported_grant_type');
  return validate(request, schema);
}

/** @returns null for a problem that RFC 6749 has no code for */
export function toOAuthErrorCode(code: ProblemCode): keyof typeof DESCRIPTIONS | null {
  return Object.hasOwn(OAUTH_ERRORS, code) ? OAUTH_ERRORS[code as keyof typeof OAUTH_ERRORS] : null;
}

/** The error response of RFC 6749, section 5.2; null for a problem that it has no code for. */
function toOAuthError({ code, options }: ApiProblem): { error: string; error_description: string } | null {
  const error = toOAuthErrorCode(code);
  return error && { error, error_description: options.detail ?? DESCRIPTIONS[error] };
}

/**
 * Authenticates operators: `Authorization: Bearer` with the configured admin token (RFC 6750), compared in constant
 * time. Without a configured token every request is refused.
 * @throws ApiProblem 401 `admin-token-required` without one, 403 `admin-token-wrong` with another
 */
export function requireAdmin(req: Pick<IncomingMessage, 'headers'>, res: ServerResponse): void {
  const [, given] = /^bearer +([\w.~+/=-]+) *$/i.exec(req.headers.authorization ?? '') ?? [];
  if (given === undefined) {
    res.setHeader('www-authenticate', 'Bearer realm="admin"');
    throw new ApiProblem('admin-token-required');
  }
  const expected = env().ADMIN_TOKEN;
  // Digests: the length of the token is secret, too.
  if (expected === undefined || !isEqualInConstantTime(digest(given), digest(expected)))
    throw new ApiProblem('admin-token-wrong');
}

/** Of pages, and of the sign-in helper, next.config.js sets the same headers from the same file. */
const API_HEADERS = Object.entries({ ...everywhere, ...notTheHelper, ...dataOnly, ...apiOnly });

/** How long a browser may cache a preflight response, in seconds. */
const PREFLIGHT_MAX_AGE_SECONDS = '600';
/** Retry delay by status where the problem has none, such as a 429 of another service, in seconds. */
const RETRY_AFTER_SECONDS: Partial<Record<number, number>> = { 429: 60, 503: 5 };

/** What a caller presented: its key in one of the limits that no neighbor can use up. */
type Presented = { limit: 'calls-of-session' | 'calls-of-link'; key: string };

/**
 * A rate limit by the session or link that a call presents. A call that presents no genuine one counts by client address.
 * @property name of the limit by client address
 * @property identify null for a call without a genuine session or link; must cost little
 */
export type CallerLimit<B = unknown> = {
  name: LimitName;
  identify: (call: { req: RequestWithCookies; body: B }) => Promise<Presented | null>;
};

type RouteOptions<B> = {
  method: 'GET' | 'POST';
  /** Schema of the JSON body; without one the body is not read. */
  body?: z.core.$ZodType<B>;
  /**
   * Schema of a token request in form encoding, accepted besides JSON; its errors are those of OAuth (RFC 6749, section
   * 5.2).
   */
  tokenForm?: z.core.$ZodType<B>;
  /** State-changing calls are accepted only from pages of the main domain. */
  stateChanging: boolean;
  /** Refuses calls of a page that shows another account than the session's; by default, those that change state. */
  checksAccount?: boolean;
  /** Maximum body size in bytes; 16 KiB by default. */
  maxBody?: number;
  /** Rate limit by client address, counted before the body is read; or by what the caller presents (`CallerLimit`), counted after it. */
  limit?: LimitName | CallerLimit<B>;
  /** `Set-Cookie` values that the response has whatever happens next: no limit and no outage keeps cookies in a browser. */
  clears?: (req: NextApiRequest) => string[];
  /**
   * Counts a call beyond that limit elsewhere, instead of refusing it: for clients whom others of their network must not keep out.
   * @returns whether it may go on
   */
  countElsewhere?: (req: NextApiRequest) => Promise<boolean>;
  /** Called so often that not every success gets a line in the log. */
  isFrequent?: boolean;
  /** Who may read the response across origins, the platform by default; `own` calls are for own pages only. */
  audience?: Audience;
};

type RouteRequest<B> = { req: NextApiRequest; res: NextApiResponse; body: B };

/** A route and its options: the API description is generated from them. */
export type Route = NextApiHandler & {
  route: Omit<RouteOptions<unknown>, 'body' | 'tokenForm' | 'limit'> & {
    body?: z.core.$ZodType;
    tokenForm?: z.core.$ZodType;
    limit?: LimitName | Pick<CallerLimit, 'name'>;
  };
};

/**
 * Builds an API route: validates method, origin, media type, size and schema, applies rate limits, sets CORS headers,
 * and turns every failure into `application/problem+json` (RFC 9457). The handler's return value is sent as JSON with
 * status 200; a handler that has ended the response itself returns nothing.
 *
 * The route's file must also contain `export const config = { api: { bodyParser: false } }`: bodies are read here, so
 * that a body too large or malformed gets our error response.
 */
export function apiRoute<B = undefined>(options: RouteOptions<B>, handler: (call: RouteRequest<B>) => unknown): Route {
  const routeHandler: NextApiHandler = (req, res) => {
    const tokenForm = isTokenForm(req) ? options.tokenForm : undefined;
    const send = (body: unknown) => {
      if (!res.writableEnded) sendJson(res, 200, 'application/json', body ?? {});
    };
    // Without a schema the type says that there is no body.
    const read = async () =>
      options.body ? await (tokenForm ? readTokenForm(req, tokenForm) : readBody(req, options.body)) : (undefined as B);
    const readAndHandle = async () => {
      const { limit } = options;
      if (typeof limit === 'object') {
        const body = await read();
        const hit = await consumeCallerLimit(limit, { req, body });
        return giveBackWhenAsked(hit, () => handler({ req, res, body }));
      }
      const hit = limit ? await consumeClientLimit(req, limit, () => options.countElsewhere?.(req)) : null;
      const body = await read();
      return giveBackWhenAsked(hit, () => handler({ req, res, body }));
    };
    const work = () => {
      prepareResponse(req, res, options.audience ?? 'platform');
      if (req.method === 'OPTIONS') return sendPreflight(req, res, options);
      checkMethod(req, res, options.method);
      if (options.stateChanging) (options.audience === 'own' ? assertOwnOrigin : assertAllowedOrigin)(req);
      if (options.checksAccount ?? options.stateChanging) assertPageAccount(req);
      if (options.clears) appendCookies(res, options.clears(req));
      assertContentLength(req, options.maxBody);
      if (options.limit ?? options.body) return readAndHandle().then(send);
      return settle(() => handler({ req, res, body: undefined as B }), send);
    };
    return handleErrors(req, res, work, { toErrorBody: tokenForm && toOAuthError, isFrequent: options.isFrequent });
  };
  return Object.assign(routeHandler, { route: options });
}

/** Builds the route of a call by which pages of this app alone change something. */
export function ownRoute<B = undefined>(
  options: Omit<RouteOptions<B>, 'method' | 'stateChanging' | 'audience'>,
  handler: (call: RouteRequest<B>) => unknown,
): Route {
  return apiRoute({ ...options, method: 'POST', stateChanging: true, audience: 'own' }, handler);
}

type Answered = void | ProblemCode | null;

/**
 * Runs a request handler: assigns a request id, continues the caller's trace, turns a failure into a problem, and counts,
 * times and logs every response.
 * @param work a failure that it has answered itself is what it returns
 * @param options `route`: its name in logs, reports and counters; `toErrorBody`: a body to send in place of a problem; `isFrequent`: see
 *   `RouteOptions`
 */
export function handleErrors(
  req: NextApiRequest,
  res: NextApiResponse,
  work: () => Answered | Promise<Answered>,
  options: { route?: string; toErrorBody?: (problem: ApiProblem) => object | null; isFrequent?: boolean } = {},
): void | Promise<void> {
  const { route = getRouteName(req.url ?? ''), toErrorBody, isFrequent } = options;
  const begin = performance.now();
  const id = readRequestId(req.headers);
  req.headers['x-request-id'] = id;
  res.setHeader('x-request-id', id);
  const record = (result: ProblemCode | 'ok', rule?: string) => {
    const seconds = (performance.now() - begin) / 1000;
    countResponse(route, result, seconds);
    if (rule !== undefined) countRefusal(rule);
    // Never the URL, which the client chose.
    const ms = Math.round(seconds * 10_000) / 10;
    logResponse({ method: req.method, route, status: res.statusCode, result, rule, ms }, isFrequent);
  };
  return runWithRequest(req.headers, id, () =>
    settle(
      work,
      (problem) => record(problem ?? 'ok'),
      (error) =>
        record(sendProblem(res, error, route, toErrorBody), isApiProblem(error) ? error.options.rule : undefined),
    ),
  );
}

/** Counts a call by the session or link that it presents, and by client address when it presents none. @throws ApiProblem `too-many-requests` */
export async function consumeCallerLimit<B>(
  { name, identify }: CallerLimit<B>,
  call: { req: RequestWithCookies; body: B },
): Promise<Hit | null> {
  const presented = await identify(call);
  if (presented === null) return consumeClientLimit(call.req, name);
  return consumeLimit(presented.limit, presented.key);
}

/** A call refused for want of a proof of work does not count against the limit. @returns null when it was counted elsewhere */
async function consumeClientLimit(
  req: RequestWithCookies,
  limit: LimitName,
  countElsewhere?: () => Promise<boolean> | undefined,
): Promise<Hit | null> {
  const { ipv6Prefix, proofAfter } = getLimit(limit);
  const key = getClientAddress(req, ipv6Prefix);
  if (proofAfter !== undefined) await requireProofBeyond(req, [{ limit, key }]);
  try {
    return await consumeLimit(limit, key);
  } catch (error) {
    if (!(await countElsewhere?.())) throw error;
    return null;
  }
}

/** Neither does one that is asked for a proof later, by what its body says. */
async function giveBackWhenAsked<T>(hit: Hit | null, work: () => T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isApiProblem(error) && error.code === 'proof-required') await hit?.giveBack();
    throw error;
  }
}

function prepareResponse(req: NextApiRequest, res: NextApiResponse, audience: Audience): void {
  setApiHeaders(res);
  // What any origin may read, browsers also fetch without CORS: the related origins of passkeys, for pages of other sites.
  if (audience === 'public') res.setHeader('cross-origin-resource-policy', 'cross-origin');
  res.setHeader('cache-control', 'no-store');
  res.setHeader('vary', 'Origin');
  for (const [name, value] of Object.entries(getCorsHeaders(req.headers.origin, audience))) res.setHeader(name, value);
  const repeated = buildClearRepeatedCookies(req);
  if (repeated.length > 0) appendCookies(res, repeated);
}

/** Names of headers, as a preflight lists them (Fetch standard, section 4.8). */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]{1,64}(?:, ?[\w!#$%&'*+.^`|~-]{1,64}){0,31}$/;

function sendPreflight({ headers }: NextApiRequest, res: NextApiResponse, { method }: { method: string }): void {
  if (!res.hasHeader('access-control-allow-origin')) throw new ApiProblem('foreign-origin');
  res.setHeader('access-control-allow-methods', method);
  // A page that may read the response may send any header with the call: each tracing library of a page adds others, and none of them gives a right.
  const asked = headers['access-control-request-headers'] ?? '';
  const allowed = HEADER_NAMES.test(asked) ? asked : `content-type, ${PROOF_HEADER}`;
  res.setHeader('access-control-allow-headers', allowed);
  res.setHeader('access-control-max-age', PREFLIGHT_MAX_AGE_SECONDS);
  res.statusCode = 204;
  res.end();
}

function checkMethod(req: NextApiRequest, res: NextApiResponse, method: 'GET' | 'POST'): void {
  if (req.method === method || (method === 'GET' && req.method === 'HEAD')) return;
  res.setHeader('allow', method === 'GET' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS');
  throw new ApiProblem('method-not-allowed');
}

/** Sends a failure as `application/problem+json`. @returns the problem's code */
function sendProblem(
  res: NextApiResponse,
  error: unknown,
  route: string,
  toErrorBody?: (problem: ApiProblem) => object | null,
): ProblemCode {
  const problem = isApiProblem(error) ? error : new ApiProblem('internal-error', { cause: error });
  if (problem.code === 'internal-error') reportError(error, { route });
  if (res.headersSent) {
    res.end();
    return problem.code;
  }
  const retryAfter = problem.options.retryAfter ?? RETRY_AFTER_SECONDS[problem.status];
  if (retryAfter !== undefined) res.setHeader('retry-after', String(retryAfter));
  if (problem.options.cookies) appendCookies(res, problem.options.cookies);
  // Failures are never cached, whatever caching the handler set.
  res.setHeader('cache-control', 'no-store');
  const body = toErrorBody?.(problem);
  if (body) sendJson(res, problem.status, 'application/json', body);
  else sendJson(res, problem.status, PROBLEM_MEDIA_TYPE, problem);
  return problem.code;
}

function sendJson(res: NextApiResponse, status: number, type: string, body: unknown): void {
  const text = JSON.stringify(body);
  res.statusCode = status;
  res.setHeader('content-type', type);
  // Without it the response would be chunked.
  res.setHeader('content-length', Buffer.byteLength(text));
  res.end(text);
}

export function setApiHeaders(res: ServerResponse): void {
  for (const [name, value] of API_HEADERS) res.setHeader(name, value);
}
