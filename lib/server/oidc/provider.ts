import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { randomUUID } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { seal, unseal } from '@/lib/server/codes';
import { deriveKeys, env, getSealingKeys, log } from '@/lib/server/runtime';
import { queryInTime, readLanguage } from '@/lib/server/storage';
import { reportError } from '@/lib/shared/error-reporting/report';
import { languageQuery } from '@/lib/shared/i18n/languages';
import { LOGOUT_RETURN, OIDC_PATH, paths } from '@/lib/shared/paths';
import { ApiProblem } from '@/lib/shared/problem';
import { createAdapter, INTERACTION_SECONDS, toLibraryErrors } from './adapter';
import { ACR, CLAIMS_OF_SCOPES, SCOPES, buildClaims, getRequestedAssurance, getSubject } from './claims';
import { CLIENT_ID, findClient } from './clients';
import { parseBasic } from './basic';
import {
  OIDC_ROUTES,
  findAccountOnce,
  getGrantId,
  getOidcRequest,
  getSid,
  type Library,
  type OidcServer,
} from './context';
import { buildErrorPage, getErrorKind } from './error-page';
import { REAUTHENTICATE, startInteraction } from './interaction';
import { SIGNING_ALGORITHMS, canSign, readKeys, toLibraryKeys, type Keys } from './keys';

/** Lifetimes in seconds. */
const TTL = {
  AuthorizationCode: 60,
  AccessToken: 3_600,
  // Open edX refuses older ID tokens.
  IdToken: 600,
  Interaction: INTERACTION_SECONDS,
  RefreshToken: 14 * 86_400,
  /**
   * Longer than the library replaces refresh tokens, which is a year after their code. All of them end with the
   * session.
   */
  Grant: 400 * 86_400,
  /** Our own record has the session and its end. */
  Session: 86_400,
} as const;

/** Names of cookies. Both are limited to a path of the issuer. */
const COOKIES = { session: 'oidc-session', interaction: 'oidc-interaction', resume: 'oidc-resume' } as const;
export const SESSION_COOKIE = COOKIES.session;

/** Returns the issuer identifier. Its origin is configured, so that discovery does not depend on headers. */
export function getIssuer(): string {
  return env().NEXT_PUBLIC_APP_ORIGIN + OIDC_PATH;
}

type Built = { version: number; server: Promise<OidcServer> };

let current: Built | null = null;

/**
 * Returns the library's server with the keys in force. A change of their file builds another server. Null if there are
 * no keys.
 */
export async function getOidcServer(): Promise<OidcServer | null> {
  const keys = await readKeys();
  if (keys === null) return null;
  if (current?.version !== keys.version) {
    const built: Built = { version: keys.version, server: build(keys) };
    current = built;
    built.server.catch(() => {
      if (current === built) current = null;
    });
  }
  return current.server;
}

async function build(keys: Keys): Promise<OidcServer> {
  // Loaded at the first request, because no page needs it.
  const library = await import('oidc-provider');
  const provider = createProvider(library, keys);
  // The handler sets scheme and host, with or without a proxy.
  provider.proxy = true;
  const report = (error: unknown) => reportError(error, { during: 'an OpenID Connect request' });
  // This event also comes from the library's framework, and the library's types omit it.
  (provider as EventEmitter).on('error', report);
  provider.on('server_error', (_context, error) => {
    report(error);
    getOidcRequest().problem ??= new ApiProblem('internal-error', { cause: error });
  });
  provider.on('grant.error', logRefusal);
  provider.on('revocation.error', logRefusal);
  provider.use(answerRevocationWithoutType);
  return { provider, library, handle: provider.callback() };
}

/**
 * Logs a refused client. The log has neither query nor body, so operators could not otherwise find which client was
 * refused, and why.
 */
function logRefusal({ oidc, headers }: KoaContextWithOIDC, error: Refusal): void {
  const { client, params } = oidc;
  const named = client?.clientId ?? params?.client_id ?? parseBasic(headers.authorization)?.id;
  const reason = [error.error_description, error.error_detail].filter(Boolean).join(': ');
  // Anyone can send the value, so log it only if it can be an id. The log redacts a secret in its place.
  const id = typeof named === 'string' && CLIENT_ID.test(named) ? named : 'unknown';
  log().warn({ client: id, error: error.error, reason }, 'a client was refused');
}

type Refusal = { error: string; error_description?: string; error_detail?: string };

/**
 * Sends an empty revocation response (RFC 7009, section 2.2: the client ignores the body). Some clients do not accept
 * the framework's media type.
 */
async function answerRevocationWithoutType(context: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  if (getOidcRequest().route !== 'revocation' || context.status !== 200) return;
  context.body = null;
  context.status = 200;
}

function createProvider(library: Library, keys: Keys) {
  try {
    return new library.Provider(getIssuer(), configure(library, keys));
  } catch (error) {
    // The cause of its error contains the private key, which would be logged.
    if (error instanceof Error) delete error.cause;
    throw error;
  }
}

function configure(library: Library, keys: Keys): Configuration {
  const { interactionPolicy } = library;
  const cookieKeys = deriveKeys(env().TOKEN_ENCRYPTION_SECRET, 'oidc/cookies');
  const algorithms = SIGNING_ALGORITHMS.filter((algorithm) => canSign(keys, algorithm));
  const isSecure = getIssuer().startsWith('https:');
  const off = { enabled: false };
  return {
    adapter: (model: string) => createAdapter(model, library),
    jwks: { keys: toLibraryKeys(keys) },
    // Discovery has a fixed path.
    routes: { ...OIDC_ROUTES, discovery: undefined, signedOut: undefined } as object,
    scopes: [...SCOPES],
    claims: CLAIMS_OF_SCOPES,
    // Learning platforms read names from the ID token.
    conformIdTokenClaims: false,
    acrValues: Object.values(ACR),
    subjectTypes: ['public', 'pairwise'],
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    enabledJWA: { idTokenSigningAlgValues: algorithms },
    extraClientMetadata: { properties: ['pkce', 'reauthenticate'] },
    // The library checks its own rules first, so that the error goes to the client.
    extraParams: { [FAULT]: () => throwFault(library) },
    pkce: { required: (_context, client) => client.pkce !== false },
    cookies: {
      names: COOKIES,
      // Created from our own session for each request, and never sent.
      long: { signed: false },
      short: { signed: true, httpOnly: true, sameSite: 'lax', secure: isSecure },
      keys: cookieKeys.map((key) => Buffer.from(key).toString('base64')),
    },
    features: {
      userinfo: { enabled: true },
      revocation: { enabled: true },
      ...{ devInteractions: off, dPoP: off, pushedAuthorizationRequests: off, resourceIndicators: off },
      // Our own session ends send the logout tokens (logouts.ts).
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true, logoutSource: sendToSignOut },
    },
    ttl: TTL,
    expiresWithSession: () => true,
    issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
    clientBasedCORS: (_context, origin, client) =>
      client.tokenEndpointAuthMethod === 'none' && (client.redirectUris ?? []).some((uri) => isOfOrigin(uri, origin)),
    findAccount: buildFindAccount(library),
    loadExistingGrant,
    pairwiseIdentifier: (_context, uid, client) => getSubject(uid, client.clientId, 'pairwise'),
    interactions: { policy: buildPolicy(interactionPolicy), url: startInteraction },
    renderError,
  };
}

/** A parameter that no client sends. The library calls its validator for each request. */
const FAULT = 'learner_identity_fault';

function throwFault({ errors }: Library): void {
  const { fault } = getOidcRequest();
  if (fault !== null) throw new errors.InvalidRequest(fault);
}

/** Whether an address has an origin. A private-use scheme has the origin `null`, which any sandboxed frame also has. */
function isOfOrigin(uri: string, origin: string): boolean {
  const own = new URL(uri).origin;
  return own !== 'null' && own === origin;
}

const renderError: NonNullable<Configuration['renderError']> = (context, out, error) => {
  const { route, problem } = getOidcRequest();
  const isOurs = problem !== null || out.error === 'server_error';
  const kind = getErrorKind(route, isOurs ? 'unavailable' : route === 'resume' ? 'expired' : 'request');
  if (!isOurs) logRefusal(context, error as unknown as Refusal);
  const { headers, html } = buildErrorPage(context.req, { kind, code: out.error });
  context.set(headers);
  context.body = html;
};

/**
 * Builds the questions to the user: sign in, sign in again, or with two factors. The platforms belong together, so none
 * asks for consent.
 */
function buildPolicy({ base, Check, Prompt }: Library['interactionPolicy']) {
  const policy = base();
  policy.remove('consent');
  // Without these, the library refuses requests with these values.
  policy.add(new Prompt({ name: 'select_account', requestable: true }));
  policy.add(new Prompt({ name: 'consent', requestable: true }));
  const checks = policy.get('login')?.checks;
  // With `prompt=none` it is the error. Otherwise it opens the sign-in page.
  checks?.add(
    new Check(REAUTHENTICATE, 'the client asks for a new authentication', 'login_required', ({ oidc }) => {
      const login = oidc.result?.login;
      return oidc.client?.reauthenticate === true && login === undefined;
    }),
  );
  checks?.add(
    new Check(
      'acr_values',
      'the requested authentication context could not be obtained',
      'login_required',
      ({ oidc }) => {
        const { accountId, acr } = oidc.session ?? {};
        return accountId !== undefined && getRequestedAssurance(oidc.params?.acr_values) === 2 && acr !== ACR[2];
      },
    ),
  );
  return policy;
}

/**
 * Finds the account of this request's session, or of the session that a code or token came from. That session may have
 * ended, or its account been disabled.
 */
function buildFindAccount(library: Library): NonNullable<Configuration['findAccount']> {
  const guard = <T>(work: () => Promise<T>) => toLibraryErrors(library, work);
  return (context, accountId, token) =>
    guard(async () => {
      const status = getOidcRequest().session?.session.status;
      const sessionId = token && 'sessionUid' in token ? token.sessionUid : undefined;
      if (sessionId === undefined && status?.uid !== accountId) return undefined;
      const user =
        sessionId === undefined
          ? status && {
              email: status.email ?? undefined,
              emailVerified: status.emailVerified === true,
              displayName: status.displayName ?? undefined,
              photoURL: status.photoURL ?? undefined,
            }
          : await findAccountOnce(sessionId);
      if (!user) return undefined;
      const claims = async () => {
        const { client } = context.oidc;
        const own = client ? await findClient(client.clientId) : null;
        const sub = client ? getSubject(accountId, client.clientId, client.subjectType) : accountId;
        const allowed = own?.claims ?? [];
        const locale = allowed.includes('locale') ? await queryInTime((tx) => readLanguage(tx, accountId)) : null;
        return { sub: accountId, ...buildClaims(user, { sub, locale, allowed }) };
      };
      return { accountId, claims: () => guard(claims) };
    });
}

/**
 * Loads the grant of a client. The platforms belong together, so signing in grants each client its configured claims.
 */
async function loadExistingGrant({ oidc }: KoaContextWithOIDC) {
  const { client, session, account, provider } = oidc;
  const own = getOidcRequest().session;
  if (!client || !session || !account || !own) return undefined;
  const { clientId } = client;
  session.sidFor(clientId, getSid(own.id, clientId));
  // Store it again each time with the same id. An earlier grant would end before the tokens of this grant.
  const id = getGrantId(own.id, clientId);
  const grant = new provider.Grant({ accountId: account.accountId, clientId, jti: id } as object);
  grant.addOIDCScope(SCOPES.join(' '));
  await grant.save();
  return grant;
}

/** How long the user may take to decide, in seconds. */
const LOGOUT_TTL_SECONDS = 60 * 60;

const getLogoutKeys = () => getSealingKeys(env().TOKEN_ENCRYPTION_SECRET, 'logout-return');

/**
 * Handles a client's logout (OpenID Connect RP-Initiated Logout 1.0). Our own page asks the user by a form that no
 * other site can send, and then redirects to the client. The target is sealed, so that it is always a registered
 * address.
 */
async function sendToSignOut(context: KoaContextWithOIDC): Promise<void> {
  const { params, entities } = context.oidc;
  const {
    post_logout_redirect_uri: uri,
    state,
    ui_locales: uiLocales,
  } = (params ?? {}) as Record<string, string | undefined>;
  const address = new URL(paths.signOut, env().NEXT_PUBLIC_APP_ORIGIN);
  if (uiLocales !== undefined) address.searchParams.set(languageQuery.uiLocales, uiLocales);
  if (uri !== undefined) {
    const to = new URL(uri);
    if (state !== undefined) to.searchParams.set('state', state);
    const exp = Math.floor(Date.now() / 1000) + LOGOUT_TTL_SECONDS;
    // With its own ID token, the client has already signed its user out.
    const { IdTokenHint: hint, Client: client } = entities;
    const payload = { to: to.href, ...(hint && client && { from: client.clientId }) };
    const sealed = await seal({ jti: randomUUID(), mark: '', payload, exp }, getLogoutKeys());
    address.searchParams.set(LOGOUT_RETURN, sealed);
  }
  context.status = 303;
  context.redirect(address.href);
}

/**
 * Reads the target of a client's logout.
 * @returns `from`: the client, if it has proved that it had signed its user in
 * @throws ApiProblem `code-expired`, `code-missing`
 */
export async function readLogoutReturn(sealed: unknown): Promise<{ to: string; from: string | null }> {
  const { payload } = await unseal(typeof sealed === 'string' ? sealed : '', getLogoutKeys());
  return { to: payload.to ?? '', from: payload.from ?? null };
}
