import { getExternalRoute, LOGOUT_RETURN, OIDC_PATH } from '@/lib/shared/paths';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { NextApiHandler, NextApiRequest, NextApiResponse } from 'next';
import { ApiProblem, isApiProblem, type ProblemCode } from '@/lib/shared/problem';
import {
  assertContentLength,
  consumeCallerLimit,
  FORM_MEDIA_TYPE,
  getMediaType,
  handleErrors,
  peekBytes,
  readBytes,
  setApiHeaders,
} from '@/lib/server/http';
import { env, getClientAddress } from '@/lib/server/runtime';
import { bySession, readRecordedSession, readRecordedSessionNow, type RecordedSession } from '@/lib/server/session';
import { consumeLimit, type LimitName } from '@/lib/server/storage';
import {
  OIDC_ROUTES,
  findRoute,
  getFlowId,
  isRuntimeSufficient,
  runWithOidcRequest,
  type OidcRequest,
  type OidcRoute,
  type OidcServer,
} from './context';
import { encodeRawBasic } from './basic';
import { AUTHENTICATED, countUnknownToken } from './adapter';
import { buildErrorPage, getErrorKind, type ErrorKind, sendRedirectPage } from './error-page';
import { continueInteraction, type FinishedLogin } from './interaction';
import { readKeys } from './keys';
import { SESSION_COOKIE, getIssuer, getOidcServer, readLogoutReturn } from './provider';

/** Policy of the library's pages. A page that posts the response to the client has a script, whose hash it adds. */
const POLICY =
  "default-src 'none'; script-src 'report-sample'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'";

/**
 * Routes that a user's browser opens, whose failures are pages. `SESSION_PAGES` need a session. The others do not,
 * because our own page asks whether to sign out.
 */
const PAGES: readonly OidcRoute[] = ['authorization', 'resume', 'interaction', 'end_session', 'signedOut'];
const SESSION_PAGES: readonly OidcRoute[] = ['authorization', 'resume', 'interaction'];
/** The library's path of a route that has two paths. */
const ROUTED_PATHS: Partial<Record<OidcRoute, string>> = { discovery: OIDC_ROUTES.discovery };
/** The problem for a status of the library, if there is no problem of ours. By default `bad-request`. */
const PROBLEM_OF_STATUS: Partial<Record<number, ProblemCode>> = { 401: 'token-invalid', 404: 'not-found' };
const LIMIT_OF_ROUTE: Partial<Record<OidcRoute, LimitName>> = {
  authorization: 'oidc-authorize',
  resume: 'oidc-authorize',
  interaction: 'oidc-authorize',
  end_session: 'oidc-authorize',
};

/** Whether this deployment is an OpenID Provider. It needs clients and keys, and must manage the sessions. */
export function isOidcOffered(): boolean {
  const { OIDC_CLIENTS_FILE: clients, OIDC_KEYS_FILE: keys, SESSION_BACKEND: backend } = env();
  const isConfigured = clients !== undefined && keys !== undefined;
  return isConfigured && backend === 'firebase' && isRuntimeSufficient();
}

/** Handles every request below the issuer (docs/adr/0038). */
export const handleOidc: NextApiHandler = (req, res) => {
  const path = getPath(req);
  const route = findRoute(path);
  const name = route === null ? OIDC_PATH : `${OIDC_PATH}/${route}`;
  return handleErrors(
    req,
    res,
    async () => {
      setApiHeaders(res);
      res.setHeader('cache-control', 'no-store');
      if (route === null || !isOidcOffered()) throw new ApiProblem('not-found');
      const address = getClientAddress(req);
      try {
        await countCall(req, route, address);
        assertContentLength(req);
        if (route === 'end_session') await prepareLogout(req);
        if (AUTHENTICATED.includes(route)) await encodeRawBasic(req);
        const fault = judgeParameters(req, route);
        return await handleRoute(req, res, { route, path: ROUTED_PATHS[route] ?? path, address, fault });
      } catch (error) {
        if (!isApiProblem(error) || !PAGES.includes(route)) throw error;
        const kind = getErrorKind(route, error.code === 'bad-request' ? 'request' : 'unavailable');
        if (error.options.retryAfter !== undefined) res.setHeader('retry-after', String(error.options.retryAfter));
        sendErrorPage(req, res, error.status, { kind, code: error.code });
        return error.code;
      }
    },
    { route: name },
  );
};

/**
 * Counts a call. A host has any number of addresses in its /48, so calls that store a row count by /48. A sign-out
 * counts by its session, which no neighbor can use up.
 */
async function countCall(req: NextApiRequest, route: OidcRoute, address: string): Promise<void> {
  const name = LIMIT_OF_ROUTE[route] ?? 'oidc';
  if (SESSION_PAGES.includes(route)) await consumeLimit(name, getClientAddress(req, 48));
  else if (route === 'end_session') await consumeCallerLimit(bySession(name), { req, body: undefined });
  else await consumeLimit(name, address);
  await countUnknownToken(req, { route, address, form: () => peekForm(req) });
}

/** Reads the parameters of a form, which the library reads again. */
async function peekForm(req: NextApiRequest): Promise<URLSearchParams> {
  assertContentLength(req);
  const isForm = req.method === 'POST' && getMediaType(req) === FORM_MEDIA_TYPE;
  return new URLSearchParams(isForm ? (await peekBytes(req)).toString() : '');
}

type RoutedRequest = { route: OidcRoute; path: string; address: string; fault: string | null };

/** @returns the failure that it has responded with, or null */
async function handleRoute(
  req: NextApiRequest,
  res: NextApiResponse,
  routed: RoutedRequest,
): Promise<ProblemCode | null> {
  const [server, session] = await Promise.all([getOidcServer(), readSession(req, routed.route)]);
  if (server === null) throw new ApiProblem('not-found');
  const path = OIDC_PATH + routed.path;
  const request: OidcRequest = {
    ...routed,
    req,
    res,
    path,
    session,
    signIn: session?.signIn ?? null,
    problem: null,
    counted: new Set(),
    accounts: new Map(),
  };
  if (routed.route === 'signedOut') await sendToClient(req, res);
  else {
    prepareForLibrary(req, res, routed.path, session !== null || routed.route === 'end_session');
    await runWithOidcRequest(request, () => answer(server, req, res, request));
  }
  if (request.problem !== null) return request.problem.code;
  if (res.statusCode >= 500) return 'internal-error';
  return res.statusCode >= 400 ? (PROBLEM_OF_STATUS[res.statusCode] ?? 'bad-request') : null;
}

/**
 * Reads the session of a request. A code may use an account state that is 20 seconds old, like pages (docs/adr/0038).
 * The code is worthless until the token endpoint has asked the identity provider.
 */
async function readSession(req: NextApiRequest, route: OidcRoute): Promise<RecordedSession | null> {
  if (!SESSION_PAGES.includes(route)) return null;
  return route === 'authorization' ? readRecordedSession(req) : readRecordedSessionNow(req);
}

async function answer(
  server: OidcServer,
  req: NextApiRequest,
  res: NextApiResponse,
  request: OidcRequest,
): Promise<void> {
  try {
    if (request.route === 'interaction') return await continueInteraction(server, req, res);
    if (request.route === 'resume' && (await isOtherSession(server, request)))
      return sendErrorPage(req, res, 400, { kind: 'expired', code: 'login_required' });
  } catch (error) {
    if (request.problem !== null) throw request.problem;
    if (!(error instanceof server.library.errors.SessionNotFound)) throw error;
    return sendErrorPage(req, res, error.status, { kind: 'expired', code: error.error });
  }
  await server.handle(req, res);
}

/** Whether the session of a sign-in has ended, or the browser has another session now, so that nothing is issued. */
async function isOtherSession({ provider }: OidcServer, { path, session }: OidcRequest): Promise<boolean> {
  const interaction = await provider.Interaction.find(getFlowId(path) ?? '');
  const login = interaction?.result?.login as FinishedLogin | undefined;
  return login !== undefined && login.sessionId !== session?.id;
}

/**
 * Prepares the request for the library: below its own root, on the configured origin whatever the headers are, with the
 * library's own cookies, and with our session.
 */
function prepareForLibrary(
  req: NextApiRequest & { originalUrl?: string },
  res: NextApiResponse,
  path: string,
  hasSession: boolean,
): void {
  const { host, protocol } = new URL(getIssuer());
  const { search } = new URL(req.url ?? '/', getIssuer());
  // Keep only the cookie of the request that the path names and that is checked here, because the library only uses the
  // cookie.
  const id = getFlowId(path);
  const own = (req.headers.cookie ?? '').split(/; */).filter((pair) => {
    const [, isSignature, value] = /^oidc-(?:interaction|resume)(\.sig)?=(.*)$/.exec(pair) ?? [];
    return isSignature !== undefined || (id !== null && value === id);
  });
  req.headers.cookie = [...own, ...(hasSession ? [`${SESSION_COOKIE}=own`] : [])].join('; ');
  for (const name of Object.keys(req.headers)) if (name.startsWith('x-forwarded-')) delete req.headers[name];
  Object.assign(req.headers, { host, 'x-forwarded-proto': protocol.slice(0, -1) });
  req.url = path + search;
  req.originalUrl = OIDC_PATH + path + search;
  res.setHeader('content-security-policy', POLICY);
  res.setHeader('referrer-policy', 'no-referrer');
  dropSessionCookie(res);
}

/** Drops the library's session cookie, because the browser has our own. */
function dropSessionCookie(res: NextApiResponse): void {
  const setHeader = res.setHeader.bind(res);
  res.setHeader = (name, value) => {
    if (name.toLowerCase() !== 'set-cookie') return setHeader(name, value);
    const kept = [value].flat().filter((cookie) => !String(cookie).startsWith(`${SESSION_COOKIE}=`));
    return kept.length === 0 ? res : setHeader(name, kept.map(String));
  };
}

/** Redirects to the client after its sign-out, by a page, because a form may not lead to another site. */
async function sendToClient(req: NextApiRequest, res: NextApiResponse): Promise<void> {
  try {
    sendRedirectPage(res, (await readLogoutReturn(req.query[LOGOUT_RETURN])).to);
  } catch (error) {
    if (!isApiProblem(error)) throw error;
    sendErrorPage(req, res, 400, { kind: 'return', code: error.code });
  }
}

function sendErrorPage(
  req: NextApiRequest,
  res: NextApiResponse,
  status: number,
  failure: { kind: ErrorKind; code: string },
): void {
  const { headers, html } = buildErrorPage(req, failure);
  res.statusCode = status;
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.end(html);
}

/**
 * Prepares a client's logout for the library. A logout may come by form (RP-Initiated Logout 1.0, section 2), or with a
 * hint whose key was replaced, which the client's id then replaces. Only these are read from it, because our own page
 * asks the user.
 * @throws ApiProblem `bad-request`, `body-too-large`
 */
async function prepareLogout(req: NextApiRequest): Promise<void> {
  const { pathname, search } = new URL(req.url ?? '/', getIssuer());
  const isPost = req.method === 'POST';
  if (isPost && getMediaType(req) !== FORM_MEDIA_TYPE) throw new ApiProblem('bad-request');
  const parameters = new URLSearchParams(isPost ? (await readBytes(req)).toString() : search);
  const [hint, another] = parameters.getAll('id_token_hint');
  const clientId = hint === undefined || another !== undefined ? null : await readClientOfOldHint(hint);
  // The library reads it unchanged.
  if (!isPost && clientId === null) return;
  if (clientId !== null && (parameters.get('client_id') ?? clientId) === clientId) {
    parameters.delete('id_token_hint');
    parameters.set('client_id', clientId);
  }
  if (isPost) req.method = 'GET';
  req.url = `${pathname}?${parameters.toString()}`;
}

/** Returns the client of an ID token whose key was replaced, or null for any other text, which the library checks. */
async function readClientOfOldHint(hint: string): Promise<string | null> {
  try {
    const { kid } = decodeProtectedHeader(hint);
    const { iss, aud } = decodeJwt(hint);
    const known = await readKeys();
    const isOld = kid !== undefined && known?.keys.every((key) => key.kid !== kid) === true;
    return isOld && iss === getIssuer() && typeof aud === 'string' ? aud : null;
  } catch {
    return null;
  }
}

/**
 * Maximum length of a parameter, because anyone can begin a sign-in, whose parameters are stored. A hint is an ID token
 * of ours, and may be longer.
 */
const MAX_PARAMETER_LENGTH = 2_048;
const MAX_QUERY_LENGTH = 4_096;

/** Describes the fault of a URL's parameters: too long, or not storable in the database. Null if there is none. */
export function findParameterFault(url = '/'): string | null {
  const { search, searchParams } = new URL(url, 'http://localhost');
  const faulty = [...searchParams].find(([name, value]) => isFaulty(name, value));
  if (faulty !== undefined) return describeFault(faulty);
  return search.length > MAX_QUERY_LENGTH
    ? `all parameters have more than ${String(MAX_QUERY_LENGTH)} characters`
    : null;
}

const hasControls = (text: string) => /\p{Cc}/u.test(text);
const isTooLong = (name: string, value: string) => value.length > MAX_PARAMETER_LENGTH && name !== 'id_token_hint';
const isFaulty = (name: string, value: string) => isTooLong(name, value) || hasControls(name + value);

function describeFault([name, value]: [string, string]): string {
  // The client's log gets this. It must not contain other input.
  const named = /^[a-z_]{1,30}$/.test(name) ? name : 'a parameter';
  return isTooLong(name, value)
    ? `${named} has more than ${String(MAX_PARAMETER_LENGTH)} characters`
    : `${named} has control characters`;
}

/**
 * Checks the parameters of a request. For an authorization request, the library sends the fault to the client with its
 * `state`, and stores nothing.
 * @returns the fault
 * @throws ApiProblem `bad-request` for other requests
 */
function judgeParameters(req: NextApiRequest, route: OidcRoute): string | null {
  // Its only parameter is our own. It is longer than its contents and is not stored.
  const fault = route === 'signedOut' ? null : findParameterFault(req.url);
  if (fault === null) return null;
  if (route !== 'authorization' || req.method !== 'GET') throw new ApiProblem('bad-request');
  return fault;
}

/**
 * Returns the path below the issuer, without query. A document before the issuer's path keeps the URL that the client
 * requested.
 */
function getPath(req: NextApiRequest): string {
  const { pathname } = new URL(req.url ?? '/', 'http://localhost');
  const path = getExternalRoute(pathname) ?? pathname;
  return path.startsWith(`${OIDC_PATH}/`) ? path.slice(OIDC_PATH.length) : '';
}
