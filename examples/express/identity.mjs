import { createHash } from 'node:crypto';

/** The sign-in app's session cookie: the only one of a request that is forwarded. */
const SESSION_COOKIE = '_secure-user-session';

/**
 * @typedef {{ uid: string, email: string | null, emailVerified: boolean | null, displayName: string | null, assurance?: number,
 *   expiresAt: string, sid?: string }} Learner `assurance`: a missing one counts as 1; `sid`: of the session, as webhooks name it
 * @typedef {{ state: 'signed-in', learner: Learner } | { state: 'signed-out' } | { state: 'unknown' }} Session
 *   `unknown`: it cannot be checked now; neither grant access nor redirect to sign-in, which would cause a redirect loop
 * @typedef {import('node:http').IncomingMessage & { originalUrl?: string }} Request
 * @typedef {{
 *   identityOrigin: string, ownOrigin: string, checkOrigin?: string, timeoutMs?: number, cacheMs?: number, cacheSize?: number,
 *   now?: () => number, verifyCookie?: (cookie: string) => Promise<'genuine' | 'refused' | 'unknown'>,
 * }} Options `identityOrigin`: of the sign-in app; `ownOrigin`: of this site, from configuration and never from the Host
 *   header, which the visitor chooses; `checkOrigin`: of the sign-in app's listener for session checks, where your servers reach it; `cacheMs`: how
 *   long an answer holds, and so how late a session that was ended elsewhere is noticed; 0: ask each time; `verifyCookie`: of session-cookie.mjs
 */

/** @param {Options} options */
export function createIdentity(options) {
  const { identityOrigin, ownOrigin, checkOrigin = identityOrigin, timeoutMs = 5_000, verifyCookie } = options;
  for (const [name, origin] of Object.entries({ identityOrigin, ownOrigin, checkOrigin }))
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      throw new Error(`${name} must be an origin, such as https://id.campus.example`);
  const { cacheMs = 5_000, cacheSize = 1_000, now = Date.now } = options;
  /** @type {Map<string, { until: number, session: Promise<Session> }>} */
  const cache = new Map();

  /** @param {string} cookie @returns {Promise<Session>} */
  async function fetchSession(cookie) {
    try {
      const response = await fetch(`${checkOrigin}/api/check-auth-status`, {
        method: 'POST',
        headers: { cookie },
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const learner = response.status === 200 ? await response.json() : null;
      // A proxy or captive portal may also respond with 200.
      if (typeof learner?.uid === 'string' && learner.uid !== '') return { state: 'signed-in', learner };
      return { state: response.status === 401 ? 'signed-out' : 'unknown' };
    } catch {
      return { state: 'unknown' };
    }
  }

  /**
   * Checks the session of a request. Concurrent and repeated checks of one session share a response for `cacheMs`.
   * @param {string | undefined} cookieHeader the request's Cookie header
   * @returns {Promise<Session>}
   */
  async function getSession(cookieHeader) {
    const cookie = selectSessionCookie(cookieHeader);
    if (cookie === '') return { state: 'signed-out' };
    const key = createHash('sha256').update(cookie).digest('base64');
    const cached = cache.get(key);
    if (cached && cached.until > now()) return cached.session;
    // A forged or expired cookie makes no call, unless it names a key that is not known. Whether the session still exists only the sign-in app knows.
    if (verifyCookie && (await areRefused(cookie, verifyCookie))) return { state: 'signed-out' };
    const begun = cache.get(key);
    if (begun && begun.until > now()) return begun.session;
    const entry = { until: now() + cacheMs, session: fetchSession(cookie) };
    cache.delete(key);
    cache.set(key, entry);
    const [oldest] = cache.keys();
    if (cache.size > cacheSize && oldest !== undefined) cache.delete(oldest);
    const session = await entry.session;
    if (session.state === 'signed-in')
      entry.until = Math.min(entry.until, Date.parse(session.learner.expiresAt) || Infinity);
    // Cache only a success, because a failure may be over at the next request.
    if (session.state !== 'signed-in' && cache.get(key) === entry) cache.delete(key);
    return session;
  }

  /**
   * Forgets what is cached of a session or an account that a webhook is about.
   * @param {{ uid?: string, sids?: string[] | null }} data of the event
   */
  async function forget({ uid, sids }) {
    const forgetIf = async (/** @type {string} */ key, /** @type {{ session: Promise<Session> }} */ entry) => {
      const session = await entry.session;
      if (session.state !== 'signed-in' || session.learner.uid !== uid || cache.get(key) !== entry) return;
      if (!sids || sids.includes(session.learner.sid ?? '')) cache.delete(key);
    };
    await Promise.all([...cache].map(([key, entry]) => forgetIf(key, entry)));
  }

  /** @param {string} page @param {string} path of this site, including the query @param {Record<string, string>} [parameters] */
  function getAddress(page, path, parameters = {}) {
    // A visitor may request `//`, which is not a valid URL.
    const { pathname, search } = new URL(URL.canParse(path, ownOrigin) ? path : '/', ownOrigin);
    const address = new URL(page, identityOrigin);
    address.searchParams.set('redirect_uri', ownOrigin + pathname + search);
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
    return address.href;
  }
  /** @param {string} path the page to return to */
  const getSignInUrl = (path) => getAddress('/sign-in', path);
  /** The same for a page that needs two factors. Check `assurance` when the learner returns. @param {string} path */
  const getStepUpUrl = (path) => getAddress('/sign-in', path, { acr_values: 'aal2' });
  /** The page of the sign-in app that asks whether to sign out. @param {string} path the page to return to */
  const getSignOutUrl = (path) => getAddress('/sign-out', path);

  /**
   * The answer to a visitor: a page is redirected to sign-in. A form that was sent is not, because what it contains would be lost: reloading the
   * answer sends it again. A script is not either: it would follow the redirect to another origin, and fail.
   * @param {string | undefined} method
   * @param {string} path the page to return to
   * @param {(name: string) => string | string[] | null | undefined} getHeader
   * @returns {{ status: number, headers: Record<string, string>, body: string }}
   */
  function getSignedOutAnswer(method, path, getHeader) {
    const mode = getHeader('sec-fetch-mode') ?? '';
    const isScript = mode === '' ? String(getHeader('accept')).includes('json') : mode !== 'navigate';
    const signInUrl = getSignInUrl('/');
    if (isScript) {
      const body = JSON.stringify({ error: 'signed-out', signInUrl });
      return { status: 401, headers: { 'content-type': 'application/json' }, body };
    }
    if (method === 'GET' || method === 'HEAD')
      return { status: 303, headers: { location: getSignInUrl(path) }, body: '' };
    const body = SIGNED_OUT_PAGE.replace('{address}', () => signInUrl.replaceAll('&', '&amp;'));
    return { status: 401, headers: { 'content-type': 'text/html; charset=utf-8' }, body };
  }

  /**
   * Middleware for pages that need a learner: `req.learner` in the handlers that follow.
   * @param {Request & { learner?: Learner }} req
   * @param {import('node:http').ServerResponse} res
   * @param {(error?: unknown) => void} next
   */
  async function requireLearner(req, res, next) {
    try {
      if (!(await admit(req, res))) return;
    } catch (error) {
      // Express 4 and Connect do not await middleware. A thrown error would end the process.
      return next(error);
    }
    next();
  }

  /**
   * @param {Request & { learner?: Learner }} req
   * @param {import('node:http').ServerResponse} res
   * @returns {Promise<boolean>} false: it has responded itself
   */
  async function admit(req, res) {
    const path = req.originalUrl ?? req.url ?? '/';
    const session = await getSession(req.headers.cookie);
    res.setHeader('cache-control', 'private, no-store');
    if (session.state === 'signed-in') {
      req.learner = session.learner;
      return true;
    }
    if (session.state === 'signed-out') {
      const { status, headers, body } = getSignedOutAnswer(req.method, path, (name) => req.headers[name]);
      res.writeHead(status, headers).end(body);
    } else res.writeHead(503, { 'content-type': 'text/html; charset=utf-8', 'retry-after': '5' }).end(UNAVAILABLE_PAGE);
    return false;
  }

  return { getSession, forget, getSignInUrl, getStepUpUrl, getSignOutUrl, getSignedOutAnswer, requireLearner };
}

/** @param {string | undefined} header @returns {string} the session cookie alone; empty without one */
function selectSessionCookie(header = '') {
  const cookies = header.split(';').map((cookie) => cookie.trim());
  return cookies
    .filter((cookie) => cookie.startsWith(`${SESSION_COOKIE}=`) && cookie !== `${SESSION_COOKIE}=`)
    .join('; ');
}

/**
 * A browser can send an old session cookie beside the one in force, in any order.
 * @param {string} cookies of `selectSessionCookie`
 * @param {(cookie: string) => Promise<'genuine' | 'refused' | 'unknown'>} verifyCookie
 */
async function areRefused(cookies, verifyCookie) {
  const values = cookies.split('; ').map((cookie) => cookie.slice(SESSION_COOKIE.length + 1));
  return (await Promise.all(values.map(verifyCookie))).every((result) => result === 'refused');
}

// cspell:ignore noopener
const SIGNED_OUT_PAGE = `<!doctype html><html lang="en"><title>You've been signed out</title>
<h1>You've been signed out</h1><p>What you sent isn't saved yet. Leave this page open, and
<a href="{address}" target="_blank" rel="noopener">sign in in a new tab</a>. Then come back and reload this page: your browser sends it again.</p></html>`;

const UNAVAILABLE_PAGE = `<!doctype html><html lang="en"><title>We can't check your sign-in right now</title>
<h1>We can't check your sign-in right now</h1><p>You're still signed in. <a href="">Try again</a> in a moment.</p></html>`;
