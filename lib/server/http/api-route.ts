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
import { assertContentLength, getMediaType, readBody, readBytes, validate, validateQuery } from './body';
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
 * Refuses a call from a page that shows another account than the session's. It does not verify the cookie, because
 * another check decides whether the session is live. So a sign-out works while the identity provider is unreachable.
 * @throws ApiProblem `other-account`
 */
function assertPageAccount(req: RequestWithCookies): void {
  const named = req.headers[PAGE_ACCOUNT_HEADER];
  assertSameAccount(req, Array.isArray(named) ? named.join() : named);
}

/** Refuses a call that names another account than the session's. @throws ApiProblem `other-account` */
export function assertSameAccount(req: RequestCookies, named: string | undefined): void {
  const sessions = readSessionCookies(req);
  const ofAccount = sessions.filter((session) => !isOtherAccount(named, getCookieAccount(req, session)));
  if (ofAccount.length === sessions.length) return;
  if (ofAccount.length === 0) throw new ApiProblem('other-account');
  keepSessionCookies(req, ofAccount);
}

/** Reads the account of a session cookie without verifying the cookie. */
function getCookieAccount(req: RequestCookies, session: string): string | null {
  const claims = readUnverified(session);
  // A cookie without claims is another identity deployment's, which sets `userId` with every session.
  return claims === null ? (readCookie(req, 'userId') ?? null) : (claims.sub ?? null);
}

/** Reads the claims of a token without verifying it. @returns null if it is not a token */
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

/** Maps our problem codes to the error codes of RFC 6749, section 5.2. Other codes are sent as problems. */
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
 * Reads and validates a token request in form encoding. Browsers send forms across sites without a preflight, so it
 * refuses a form from a page of another origin. Mobile apps and servers send neither header.
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

/** Returns the OAuth error code of a problem. @returns null if RFC 6749 has no code for it */
export function toOAuthErrorCode(code: ProblemCode): keyof typeof DESCRIPTIONS | null {
  return Object.hasOwn(OAUTH_ERRORS, code) ? OAUTH_ERRORS[code as keyof typeof OAUTH_ERRORS] : null;
}

/** Builds the error response of RFC 6749, section 5.2. @returns null if it has no code for the problem */
function toOAuthError({ code, options }: ApiProblem): { error: string; error_description: string } | null {
  const error = toOAuthErrorCode(code);
  return error && { error, error_description: options.detail ?? DESCRIPTIONS[error] };
}

/** Returns the token of `Authorization: Bearer` (RFC 6750), or null without one. */
export function findBearerToken({ headers }: Pick<IncomingMessage, 'headers'>): string | null {
  return /^bearer +([\w.~+/=-]+) *$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** Reads the token of `Authorization: Bearer` (RFC 6750). @throws ApiProblem 401 `admin-token-required` without one */
export function readBearerToken(req: Pick<IncomingMessage, 'headers'>, res: ServerResponse): string {
  const given = findBearerToken(req);
  if (given !== null) return given;
  res.setHeader('www-authenticate', 'Bearer realm="admin"');
  throw new ApiProblem('admin-token-required');
}

/**
 * Authenticates operators by `Authorization: Bearer` with the configured admin token (RFC 6750), compared in constant
 * time. Without a configured token, every request is refused.
 * @throws ApiProblem 401 `admin-token-required` without one, 403 `admin-token-wrong` with another
 */
export function requireAdmin(req: Pick<IncomingMessage, 'headers'>, res: ServerResponse): void {
  const given = readBearerToken(req, res);
  const expected = env().ADMIN_TOKEN;
  // Compare digests, because the length of the token is secret, too.
  if (expected === undefined || !isEqualInConstantTime(digest(given), digest(expected)))
    throw new ApiProblem('admin-token-wrong');
}

/** Headers of API responses. next.config.js sets headers of pages and of the sign-in helper from the same file. */
const API_HEADERS = Object.entries({ ...everywhere, ...notTheHelper, ...dataOnly, ...apiOnly });

/** How long a browser may cache a preflight response, in seconds. */
const PREFLIGHT_MAX_AGE_SECONDS = '600';
/** Retry delay in seconds, by status, for a problem without one, such as a 429 of another service. */
const RETRY_AFTER_SECONDS: Partial<Record<number, number>> = { 429: 60, 503: 5 };

/** A session or link that a caller presented, as a key of a limit. No neighbor can use up that limit. */
type Presented = { limit: 'calls-of-session' | 'calls-of-link'; key: string };

/**
 * A rate limit by the session or link that a call presents. A call without a genuine session or link counts by client
 * address.
 * @property name name of the limit by client address
 * @property identify returns null for a call without a genuine session or link; must be cheap
 */
export type CallerLimit<B = unknown> = {
  name: LimitName;
  identify: (call: { req: RequestWithCookies; body: B }) => Promise<Presented | null>;
};

type RouteOptions<B, Q, C> = {
  method: 'GET' | 'POST';
  /** Authenticates the caller before the query and the body are read, so that nothing else is revealed to others. */
  authenticate?: (call: { req: NextApiRequest; res: NextApiResponse }) => Promise<C>;
  /** Schema of the JSON body. Without a schema, the body is not read. */
  body?: z.core.$ZodType<B>;
  /** Schema of the query. Without a schema, the query is ignored. */
  query?: z.core.$ZodType<Q>;
  /**
   * Schema of a token request in form encoding, accepted in addition to JSON. Its errors are OAuth errors (RFC 6749,
   * section 5.2).
   */
  tokenForm?: z.core.$ZodType<B>;
  /** State-changing calls are accepted only from pages of the main domain. */
  stateChanging: boolean;
  /** Refuses calls of a page that shows another account than the session's. By default, only state-changing calls. */
  checksAccount?: boolean;
  /** Maximum body size in bytes, by default 16 KiB. */
  maxBody?: number;
  /** Rate limit by client address, counted before the body is read, or a `CallerLimit`, counted afterwards. */
  limit?: LimitName | CallerLimit<B>;
  /** `Set-Cookie` values that every response has, because a limit or an outage must not keep cookies in a browser. */
  clears?: (req: NextApiRequest) => string[];
  /**
   * Counts a call beyond that limit in another limit instead of refusing it. Others in a client's network must not lock it
   * out.
   * @returns whether the call may continue
   */
  countElsewhere?: (req: NextApiRequest) => Promise<boolean>;
  /** Whether the route is called so often that not every success is logged. */
  isFrequent?: boolean;
  /** The origins that may read the response, by default the platform's. `own` calls are for our own pages only. */
  audience?: Audience;
};

type RouteRequest<B, Q, C> = { req: NextApiRequest; res: NextApiResponse; body: B; query: Q; caller: C };

/** A route and its options. The API description is generated from them. */
export type Route = NextApiHandler & {
  route: Omit<RouteOptions<unknown, unknown, unknown>, 'body' | 'query' | 'tokenForm' | 'limit'> & {
    body?: z.core.$ZodType;
    query?: z.core.$ZodType;
    tokenForm?: z.core.$ZodType;
    limit?: LimitName | Pick<CallerLimit, 'name'>;
  };
};

/**
 * Builds an API route. It validates method, origin, media type, size and schema, applies rate limits and sets CORS
 * headers. It turns every failure into `application/problem+json` (RFC 9457). The handler's return value is sent as JSON
 * with status 200. A handler that has ended the response itself returns nothing.
 *
 * The route's file must also contain `export const config = { api: { bodyParser: false } }`. This function reads the
 * body, so that a malformed or too large body gets our error response.
 */
export function apiRoute<B = undefined, Q = undefined, C = undefined>(
  options: RouteOptions<B, Q, C>,
  handler: (call: RouteRequest<B, Q, C>) => unknown,
): Route {
  const routeHandler: NextApiHandler = (req, res) => {
    const tokenForm = isTokenForm(req) ? options.tokenForm : undefined;
    const send = (body: unknown) => {
      if (!res.writableEnded) sendJson(res, 200, 'application/json', body ?? {});
    };
    // Without a schema, `B` is undefined.
    const read = async () =>
      options.body ? await (tokenForm ? readTokenForm(req, tokenForm) : readBody(req, options.body)) : (undefined as B);
    // Without `authenticate`, `C` is undefined.
    const handle = (body: B, caller = undefined as C) => {
      const query = options.query ? validateQuery(req.query, options.query) : (undefined as Q);
      return handler({ req, res, body, query, caller });
    };
    const readAndHandle = async () => {
      const { limit, countElsewhere: count } = options;
      const byClient = typeof limit === 'string' ? await consumeClientLimit(req, limit, () => count?.(req)) : null;
      // Both kinds of limit come here, so no route can skip its authentication.
      const caller = await options.authenticate?.({ req, res });
      const body = await read();
      const hit = typeof limit === 'object' ? await consumeCallerLimit(limit, { req, body }) : byClient;
      return giveBackWhenAsked(hit, () => handle(body, caller));
    };
    const work = () => {
      prepareResponse(req, res, options.audience ?? 'platform');
      if (req.method === 'OPTIONS') return sendPreflight(req, res, options);
      checkMethod(req, res, options.method);
      if (options.stateChanging) (options.audience === 'own' ? assertOwnOrigin : assertAllowedOrigin)(req);
      if (options.checksAccount ?? options.stateChanging) assertPageAccount(req);
      if (options.clears) appendCookies(res, options.clears(req));
      assertContentLength(req, options.maxBody);
      if (options.limit ?? options.body ?? options.authenticate) return readAndHandle().then(send);
      return settle(() => handle(undefined as B), send);
    };
    return handleErrors(req, res, work, { toErrorBody: tokenForm && toOAuthError, isFrequent: options.isFrequent });
  };
  return Object.assign(routeHandler, { route: options });
}

/** Builds the route of a state-changing call that only pages of this app may make. */
export function ownRoute<B = undefined>(
  options: Omit<RouteOptions<B, undefined, undefined>, 'method' | 'stateChanging' | 'audience'>,
  handler: (call: RouteRequest<B, undefined, undefined>) => unknown,
): Route {
  return apiRoute({ ...options, method: 'POST', stateChanging: true, audience: 'own' }, handler);
}

type Answered = void | ProblemCode | null;

/**
 * Runs a request handler. It assigns a request id, continues the caller's trace, turns a failure into a problem, and
 * counts, times and logs every response.
 * @param work returns the code of a failure that it has answered itself
 * @param options `route`: its name in logs, reports and counters. `toErrorBody`: builds a body that replaces the problem.
 *   `isFrequent`: as in `RouteOptions`.
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
    // Never log the URL, because the client chose it.
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

/** Counts a call by the session or link that it presents, or else by client address. @throws ApiProblem `too-many-requests` */
export async function consumeCallerLimit<B>(
  { name, identify }: CallerLimit<B>,
  call: { req: RequestWithCookies; body: B },
): Promise<Hit | null> {
  const presented = await identify(call);
  if (presented === null) return consumeClientLimit(call.req, name);
  return consumeLimit(presented.limit, presented.key);
}

/** Counts a call by client address, unless it needs a proof of work first. @returns null if it was counted elsewhere */
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

/** Runs the handler and gives the call's count back if the handler requests a proof of work. */
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
  // Browsers also fetch public responses without CORS: the related origins of passkeys, for pages of other sites.
  if (audience === 'public') res.setHeader('cross-origin-resource-policy', 'cross-origin');
  res.setHeader('cache-control', 'no-store');
  res.setHeader('vary', 'Origin');
  for (const [name, value] of Object.entries(getCorsHeaders(req.headers.origin, audience))) res.setHeader(name, value);
  const repeated = buildClearRepeatedCookies(req);
  if (repeated.length > 0) appendCookies(res, repeated);
}

/** Header names, as a preflight lists them (Fetch standard, section 4.8). */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]{1,64}(?:, ?[\w!#$%&'*+.^`|~-]{1,64}){0,31}$/;

function sendPreflight({ headers }: NextApiRequest, res: NextApiResponse, { method }: { method: string }): void {
  if (!res.hasHeader('access-control-allow-origin')) throw new ApiProblem('foreign-origin');
  res.setHeader('access-control-allow-methods', method);
  // Allow every header for a page that may read the response. Tracing libraries add headers, and no header gives a right.
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
  // Never cache a failure, even if the handler allowed caching.
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
  // Set the length, because the response would otherwise be chunked.
  res.setHeader('content-length', Buffer.byteLength(text));
  res.end(text);
}

export function setApiHeaders(res: ServerResponse): void {
  for (const [name, value] of API_HEADERS) res.setHeader(name, value);
}
