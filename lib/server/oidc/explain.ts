import { isSecondFactorOffered } from '@/lib/server/policy';
import { env, findNearestName, type FileState } from '@/lib/server/runtime';
import { getRequestedAssurance } from './claims';
import { compactVerify, decodeJwt, decodeProtectedHeader, type JWK } from 'jose';
import { getClientsFile, type Client, type Clients } from './clients';
import { OIDC_ROUTES } from './context';
import { findParameterFault, isOidcOffered } from './handler';
import { canSign, getKeysFile, readKeys, type Keys } from './keys';
import { getIssuer } from './provider';

type OidcFile = { variable: 'OIDC_CLIENTS_FILE' | 'OIDC_KEYS_FILE'; path: string } & FileState;

/** Returns the state of the provider's files, and rereads changed files. Requires a valid configuration. */
export async function readOidcFiles(): Promise<OidcFile[]> {
  const { OIDC_CLIENTS_FILE: clientsPath, OIDC_KEYS_FILE: keysPath } = env();
  const files: OidcFile[] = [];
  const keys = keysPath === undefined ? null : getKeysFile(keysPath);
  if (keys && keysPath !== undefined)
    files.push({ variable: 'OIDC_KEYS_FILE', path: keysPath, ...(await keys.getState()) });
  if (clientsPath === undefined) return files;
  const clients = getClientsFile(clientsPath);
  const state = await clients.getState();
  const present = await keys?.read();
  const unsigned = [...((await clients.read()) ?? [])].filter(
    ([, { algorithm }]) => present && !canSign(present, algorithm),
  );
  const problems = unsigned.map(([client, { algorithm }]) => {
    return { message: 'No key of OIDC_KEYS_FILE signs with the algorithm', context: { client, algorithm } };
  });
  files.push({
    variable: 'OIDC_CLIENTS_FILE',
    path: clientsPath,
    ...state,
    problems: [...state.problems, ...problems],
  });
  return files;
}

/**
 * `problems`: why a request is refused, a sentence each. If there are none, `outcome` describes the response. Only an
 * outdated hint may still refuse it. `client`: its name, or null if it is unknown or not named.
 */
export type ExplainedRequest = { client: string | null; problems: string[]; outcome: string };

/**
 * Explains how this process's configuration handles a client's request that a browser opens.
 * @param input a URL or any other text
 * @returns null unless it is below our issuer
 */
export async function explainOidcRequest(input: string): Promise<ExplainedRequest | null> {
  if (!URL.canParse(input)) return null;
  const { origin, pathname, searchParams } = new URL(input);
  const issuer = new URL(getIssuer());
  if (origin !== issuer.origin || !pathname.startsWith(`${issuer.pathname}/`)) return null;
  const { OIDC_CLIENTS_FILE: path } = env();
  const clients = (path === undefined ? null : await getClientsFile(path).read()) ?? new Map<string, Client>();
  const problems = isOidcOffered()
    ? []
    : ['this deployment is no OpenID Provider: it needs clients, keys, a database and Node.js 20.20'];
  const fault = findParameterFault(input);
  if (fault !== null) problems.push(fault);
  const route = pathname.slice(issuer.pathname.length);
  if (route === OIDC_ROUTES.end_session) return explainLogout(searchParams, clients, problems);
  if (route === OIDC_ROUTES.authorization) return explainAuthorization(searchParams, clients, problems);
  const known = `${OIDC_ROUTES.authorization} and ${OIDC_ROUTES.end_session}`;
  return {
    client: null,
    problems: [...problems, `${route} is not opened by a link of a client: explained are the addresses of ${known}`],
    outcome: '',
  };
}

/** Explains why a client cannot be used. Empty if it is in the file and enabled. */
function explainClient(id: string, source: string, clients: Clients): string[] {
  const client = clients.get(id);
  if (client) return client.enabled ? [] : [`the client ${id} is not enabled`];
  const nearest = findNearestName(id, [...clients.keys()]);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return [`${source} ${id || 'is missing'} is not in OIDC_CLIENTS_FILE${hint}`];
}

async function explainAuthorization(
  query: URLSearchParams,
  clients: Clients,
  problems: string[],
): Promise<ExplainedRequest> {
  const outcome = 'the learner signs in, and a code goes to the redirect_uri';
  const id = query.get('client_id') ?? '';
  const client = clients.get(id);
  const found = [...problems, ...explainClient(id, 'client_id', clients)];
  if (!client) return { client: null, problems: found, outcome };
  found.push(
    ...explainUri(client, { name: 'redirect_uri', query, registered: client.redirectUris }),
    ...explainRest(client, query, await readKeys()),
  );
  if (client.redirectUris.length > 1 && !query.get('redirect_uri'))
    found.push('redirect_uri is missing, and the client has several');
  return { client: client.name, problems: found, outcome };
}

/** Explains a logout (OpenID Connect RP-Initiated Logout 1.0, section 2). */
async function explainLogout(query: URLSearchParams, clients: Clients, problems: string[]): Promise<ExplainedRequest> {
  const hint = query.get('id_token_hint') ?? '';
  const named = query.get('client_id') ?? '';
  const uri = query.get('post_logout_redirect_uri') ?? '';
  const { audience, fault } = hint === '' ? { audience: '', fault: null } : await readHint(hint);
  const id = audience || named;
  const client = clients.get(id);
  const found = [
    ...problems,
    ...['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state']
      .filter((name) => query.getAll(name).length > 1)
      .map((name) => `${name} is there more than once`),
    ...(fault === null ? [] : [fault]),
    ...(id === '' ? [] : explainClient(id, audience === '' ? 'client_id' : 'the client of id_token_hint,', clients)),
    ...(audience !== '' && named !== '' && audience !== named
      ? [`client_id ${named} is not that of id_token_hint, ${audience}`]
      : []),
    ...(client && uri !== ''
      ? explainUri(client, { name: 'post_logout_redirect_uri', query, registered: client.postLogoutRedirectUris })
      : []),
  ];
  const asked = 'the learner is asked whether to sign out';
  const ignored = 'post_logout_redirect_uri is ignored: without id_token_hint or client_id, it belongs to no client';
  const next = uri === '' ? 'stays at the sign-in page' : `goes on to ${uri}`;
  const outcome = uri !== '' && id === '' ? `${asked}; ${ignored}` : `${asked}, and then ${next}`;
  return { client: client?.name ?? null, problems: found, outcome };
}

/** @returns the client of an ID token, and why it is refused as a hint; a token with a replaced key is accepted */
async function readHint(hint: string): Promise<{ audience: string; fault: string | null }> {
  try {
    const { kid, alg } = decodeProtectedHeader(hint);
    const { iss, aud } = decodeJwt(hint);
    const audience = typeof aud === 'string' ? aud : '';
    if (iss !== getIssuer()) return { audience, fault: `id_token_hint was issued by ${String(iss)}` };
    const key = (await readKeys())?.keys.find((each) => each.kid === kid);
    if (!key) return { audience, fault: null };
    const { n, e, crv, x, y, kty } = key as Record<string, string>;
    const verified = compactVerify(hint, { kty, n, e, crv, x, y, alg } as JWK).then(
      () => null,
      () => 'the signature of id_token_hint is wrong',
    );
    return { audience, fault: await verified };
  } catch {
    return { audience: '', fault: 'id_token_hint is not an ID token' };
  }
}

function explainUri(
  { native }: Client,
  { name, query, registered }: { name: string; query: URLSearchParams; registered: readonly string[] },
): string[] {
  const uri = query.get(name) ?? '';
  if (uri === '' || registered.includes(uri)) return [];
  // RFC 8252, section 7.3: a loopback address matches with any port.
  if (native && registered.some((known) => isSameButPort(known, uri))) return [];
  const toCompared = (text: string) => text.toLowerCase().replace(/\/$/, '');
  const nearest = registered.find((known) => toCompared(known) === toCompared(uri));
  const hint =
    nearest === undefined ? `registered: ${registered.join(', ') || 'none'}` : `registered, exactly: ${nearest}`;
  return [`${name} ${uri} is not registered; ${hint}`];
}

function isSameButPort(known: string, uri: string): boolean {
  const withoutPort = (text: string) =>
    text.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)):\d+(?=[/?]|$)/, '$1');
  return /^http:/.test(known) && withoutPort(known) === withoutPort(uri);
}

/** Parameters that the library reads. Others may be repeated. */
const PARAMETERS = [
  ...['client_id', 'redirect_uri', 'response_type', 'response_mode', 'scope', 'state', 'nonce', 'prompt', 'max_age'],
  ...['acr_values', 'code_challenge', 'code_challenge_method', 'id_token_hint', 'login_hint', 'ui_locales', 'display'],
];
const PROMPTS = ['none', 'login', 'consent', 'select_account'];
const RESPONSE_MODES = ['query', 'fragment', 'form_post'];

/** @param keys null if there are none, which is reported for the deployment */
function explainRest({ pkce, algorithm }: Client, query: URLSearchParams, keys: Keys | null): string[] {
  // An empty parameter counts as missing.
  const read = (name: string) => query.get(name) ?? '';
  const has = (name: string) => read(name) !== '';
  const prompts = read('prompt').split(' ');
  const maxAge = Number(read('max_age'));
  const challenge = read('code_challenge');
  const problems: [isProblem: boolean, text: string][] = [
    [
      keys !== null && !canSign(keys, algorithm),
      `no key of OIDC_KEYS_FILE signs with ${algorithm}, the client's algorithm`,
    ],
    ...PARAMETERS.map((name): [boolean, string] => [query.getAll(name).length > 1, `${name} is there more than once`]),
    [read('response_type') !== 'code', 'response_type must be code'],
    [
      has('response_mode') && !RESPONSE_MODES.includes(read('response_mode')),
      `response_mode must be one of ${RESPONSE_MODES.join(', ')}`,
    ],
    [!read('scope').split(' ').includes('openid'), 'scope must contain openid'],
    [has('prompt') && !prompts.every((each) => PROMPTS.includes(each)), `prompt may have ${PROMPTS.join(', ')}`],
    [prompts.includes('none') && prompts.length > 1, 'prompt=none must be alone'],
    [!Number.isSafeInteger(maxAge) || maxAge < 0, 'max_age must be a number of seconds'],
    [pkce && !has('code_challenge'), 'code_challenge is missing: set "pkce": false for a client that has no PKCE'],
    [
      !pkce && !has('code_challenge') && has('code_challenge_method'),
      'code_challenge_method is there without code_challenge',
    ],
    [has('code_challenge') && read('code_challenge_method') !== 'S256', 'code_challenge_method must be S256'],
    [
      has('code_challenge') && !/^[\w.~-]{43,128}$/.test(challenge),
      'code_challenge must have 43 to 128 letters, digits, -, ., _ or ~',
    ],
    ...['request', 'request_uri', 'registration'].map((name): [boolean, string] => [
      has(name),
      `${name} is not supported`,
    ]),
    [
      getRequestedAssurance(read('acr_values')) === 2 && !isSecondFactorOffered(),
      'acr_values asks for two factors, and accounts have none: set SECOND_FACTOR_SECRET',
    ],
  ];
  return problems.flatMap(([isProblem, text]) => (isProblem ? [text] : []));
}
