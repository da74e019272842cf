import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oidc from 'openid-client';
import { readBody } from '../platform/body.mjs';
import { escape } from '../platform/html.mjs';

// A learning platform on another domain than the sign-in app. It signs its learners in by OpenID Connect.

const port = Number(process.env.SCHOOL_PORT || 3003);
/** Never taken from the Host header, because the client controls that. */
const ownOrigin = process.env.SCHOOL_ORIGIN || `http://school.localhost:${port}`;
const issuer = new URL(process.env.OIDC_ISSUER || 'http://localhost:3000/api/oidc');
const clientId = process.env.OIDC_CLIENT_ID || 'school';
const clientSecret = process.env.OIDC_CLIENT_SECRET || '';
const redirectUri = `${ownOrigin}/callback`;
/**
 * The sign-in app notifies this site of sign-outs, but not of an expired session. So this site's sessions expire, and
 * it asks again.
 */
const sessionSeconds = Math.min(Number(process.env.SCHOOL_SESSION_SECONDS) || 8 * 3600, 20 * 86_400);
const isLocal = ['localhost', '127.0.0.1'].includes(issuer.hostname);

/** @typedef {{ sid: string | undefined, claims: oidc.IDToken, idToken: string, endedByProvider: boolean }} Session */
/** By the value of the cookie. @type {Map<string, Session>} */
const sessions = new Map();
/** Logout tokens that were received (`jti`): each counts once. @type {Set<string>} */
const seen = new Set();
/** Maximum unfinished sign-ins of a browser. */
const MAX_BEGUN = 8;

/**
 * Parameters that a link to `/sign-in` may have. With any other parameter, an attacker's link could change the request.
 */
const SIGN_IN_PARAMETERS = ['acr_values', 'login_hint', 'max_age', 'prompt', 'ui_locales'];

/** Kept between logouts: each forged token would have the keys fetched. @type {ReturnType<typeof createRemoteJWKSet> | undefined} */
let keys;
/** @type {Promise<oidc.Configuration> | undefined} */
let discovered;
/** Discovers the provider's endpoints and keys once. */
function discover() {
  const options = isLocal ? { execute: [oidc.allowInsecureRequests] } : {};
  discovered ??= oidc.discovery(issuer, clientId, clientSecret, undefined, options).catch((error) => {
    discovered = undefined;
    throw error;
  });
  return discovered;
}

/** No page of a sibling host can plant a cookie with this prefix. */
const prefix = ownOrigin.startsWith('https:') ? '__Host-' : '';
/** This site's, without the prefix. @param {http.IncomingMessage} req */
const readCookies = (req) =>
  (req.headers.cookie ?? '')
    .split('; ')
    .flatMap((cookie) => (cookie.startsWith(prefix) ? [cookie.slice(prefix.length)] : []));
/** @param {http.IncomingMessage} req @param {string} name */
const readCookie = (req, name) =>
  readCookies(req)
    .find((cookie) => cookie.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? '';
/** @param {string} name @param {string} value @param {number} maxAge in seconds */
const setCookie = (name, value, maxAge) =>
  `${prefix}${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${prefix && '; Secure'}`;

/** @param {http.ServerResponse} res @param {string} location @param {string[]} [cookies] */
function redirect(res, location, cookies = []) {
  res.writeHead(303, { location, 'set-cookie': cookies, 'cache-control': 'no-store' }).end();
}

/** Sends the learner to sign in. @param {http.IncomingMessage} req @param {http.ServerResponse} res @param {Record<string, string>} more */
async function begin(req, res, more) {
  const [verifier, state, nonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()];
  const address = oidc.buildAuthorizationUrl(await discover(), {
    ...{ redirect_uri: redirectUri, scope: 'openid profile email', state, nonce, ...more },
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  // The browser keeps these, one for each tab. On the server, unfinished sign-ins would fill the memory.
  const begun = readCookies(req).filter((cookie) => cookie.startsWith('pending-'));
  // Another site's page can begin any number of sign-ins, until no server accepts a request with all these cookies.
  const surplus =
    begun.length > MAX_BEGUN ? begun.map((cookie) => setCookie(cookie.split('=', 1)[0] ?? '', '', 0)) : [];
  redirect(res, address.href, [...surplus, setCookie(`pending-${state}`, `${verifier}.${nonce}`, 3600)]);
}

/** @param {http.IncomingMessage} req @param {http.ServerResponse} res */
async function finish(req, res) {
  const address = new URL(req.url ?? '', ownOrigin);
  const state = address.searchParams.get('state') ?? '';
  const [verifier, nonce] = readCookie(req, `pending-${state}`).split('.');
  if (!verifier || !nonce) return redirect(res, '/?problem=expired');
  try {
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
    const tokens = await oidc.authorizationCodeGrant(await discover(), address, checks);
    const claims = /** @type {oidc.IDToken} */ (tokens.claims());
    const session = randomUUID();
    const sid = typeof claims.sid === 'string' ? claims.sid : undefined;
    sessions.delete(readCookie(req, 'school'));
    sessions.set(session, { sid, claims, idToken: tokens.id_token ?? '', endedByProvider: false });
    setTimeout(() => sessions.delete(session), sessionSeconds * 1000).unref();
    redirect(res, '/', [setCookie('school', session, sessionSeconds), setCookie(`pending-${state}`, '', 0)]);
  } catch (error) {
    const code = error instanceof oidc.AuthorizationResponseError ? error.error : 'failed';
    redirect(res, `/?problem=${encodeURIComponent(code)}`, [setCookie(`pending-${state}`, '', 0)]);
  }
}

/** Ends the sessions that a logout token is about (OpenID Connect Back-Channel Logout 1.0). @param {http.IncomingMessage} req */
async function receiveLogout(req) {
  const body = await readBody(req);
  if (body === null) return 413;
  const token = new URLSearchParams(body).get('logout_token') ?? '';
  const config = await discover();
  try {
    keys ??= createRemoteJWKSet(new URL(config.serverMetadata().jwks_uri ?? ''));
    const { payload } = await jwtVerify(token, keys, {
      issuer: issuer.href,
      audience: clientId,
      typ: 'logout+jwt',
      requiredClaims: ['jti', 'iat', 'events'],
      clockTolerance: 60,
    });
    if (
      payload.nonce !== undefined ||
      !('http://schemas.openid.net/event/backchannel-logout' in Object(payload.events))
    )
      return 400;
    if (seen.has(String(payload.jti))) return 200;
    seen.add(String(payload.jti));
    // The token has expired by then.
    setTimeout(() => seen.delete(String(payload.jti)), 600_000).unref();
    for (const session of sessions.values()) {
      // A token can arrive late, so later sessions continue.
      const isBefore = session.claims.iat <= Number(payload.iat);
      const isOfUser = session.claims.sub === payload.sub && isBefore;
      if (payload.sid === undefined ? isOfUser : session.sid === payload.sid) session.endedByProvider = true;
    }
    return 200;
  } catch {
    return 400;
  }
}

const icon = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="16" fill="#1d4a80"/><path d="M16 6l9 8H7z" fill="#fff"/><path d="M5 19c4-3 7 3 11 0s7 3 11 0M5 24c4-3 7 3 11 0s7 3 11 0" fill="none" stroke="#9cc3ee" stroke-width="2"/></svg>')}`;
const styles = `
:root { color-scheme: light dark; --page: #e9f1fa; --card: #fff; --ink: #1c2230; --accent: #1d4a80; --on-accent: #fff; --edge: #858a97 }
@media (prefers-color-scheme: dark) {
  :root { --page: #0f1722; --card: #1a2330; --ink: #eceff4; --accent: #9cc3ee; --on-accent: #0d1a2a; --edge: #6d7686 }
}
body { display: grid; place-items: center; min-height: 100vh; margin: 0; background: var(--page); color: var(--ink);
  font: 1.0625rem/1.5 system-ui, sans-serif }
main { box-sizing: border-box; width: min(26rem, 100% - 32px); padding: 40px 32px; border-radius: 12px; background: var(--card) }
h1 { margin: 16px 0; font-size: 1.75rem; line-height: 1.2 }
p { overflow-wrap: anywhere }
p[role=status] { padding-inline-start: 12px; border-inline-start: 3px solid var(--accent) }
button, .button { display: inline-flex; align-items: center; min-height: 44px; padding: 8px 20px; box-sizing: border-box;
  border: 1px solid var(--edge); border-radius: 10px; background: none; color: inherit; font: inherit; text-decoration: none; cursor: pointer }
.button { border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 600 }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }`;

/** @param {http.IncomingMessage} req @param {URL} url */
function renderPage(req, url) {
  const session = sessions.get(readCookie(req, 'school'));
  const problem = url.searchParams.get('problem');
  const isOver = session?.endedByProvider === true;
  const { name, email = '', acr } = /** @type {Record<string, unknown>} */ (session?.claims ?? {});
  const signIn =
    '<p>Your timetable, marks and messages.</p><p><a class="button" href="/sign-in">Sign in with Campus</a></p>';
  const body =
    session && !isOver
      ? `<p>Signed in as <strong>${escape(name)}</strong>, ${escape(email)}, with ${acr === 'aal2' ? 'two factors' : 'one factor'}.</p>
         <form method="post" action="/sign-out"><button>Sign out</button></form>`
      : `${isOver ? '<p role="status">Campus has signed you out here, too.</p>' : ''}
         ${problem === null ? '' : `<p role="status">Not signed in: ${escape(problem)}</p>`}${signIn}`;
  // Shows a back-channel logout without a click.
  const refresh = session && !isOver ? '<meta http-equiv="refresh" content="3">' : '';
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">${refresh}<title>Lakeside School</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="${icon}"><style>${styles}</style></head>
<body><main><img src="${icon}" alt="" width="56" height="56"><h1>Lakeside School</h1>${body}</main></body></html>`;
}

/** @param {http.IncomingMessage} req @param {http.ServerResponse} res @param {URL} url */
async function answer(req, res, url) {
  const route = `${req.method} ${url.pathname}`;
  const own = readCookie(req, 'school');
  if (route === 'POST /backchannel-logout')
    return void res.writeHead(await receiveLogout(req), { 'cache-control': 'no-store', connection: 'close' }).end();
  if (route === 'GET /sign-in') {
    const known = [...url.searchParams].filter(([name]) => SIGN_IN_PARAMETERS.includes(name));
    return begin(req, res, Object.fromEntries(known));
  }
  if (route === 'GET /callback') return finish(req, res);
  if (route === 'POST /sign-out') {
    const session = sessions.get(own);
    sessions.delete(own);
    if (!session) return redirect(res, '/?problem=signed-out');
    const end = { id_token_hint: session.idToken, post_logout_redirect_uri: `${ownOrigin}/?problem=signed-out` };
    return redirect(res, oidc.buildEndSessionUrl(await discover(), end).href, [setCookie('school', '', 0)]);
  }
  if (route !== 'GET /') return void res.writeHead(404).end();
  // Silent sign-on: a session at Campus is enough. It is tried once, because a refusal returns with a problem.
  if (!sessions.has(own) && url.search === '') return begin(req, res, { prompt: 'none' });
  res
    .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
    .end(renderPage(req, url));
}

http
  .createServer((req, res) => {
    if (!req.url || !URL.canParse(req.url, ownOrigin)) return void res.writeHead(400).end();
    answer(req, res, new URL(req.url, ownOrigin)).catch(() => {
      if (!res.headersSent) res.writeHead(503, { 'content-type': 'text/plain' });
      res.end('The sign-in app does not answer: try again later.');
    });
  })
  .listen(port, () => console.log(`School on ${ownOrigin}`));
