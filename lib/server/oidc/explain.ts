import { isSecondFactorOffered } from '@/lib/server/policy';
import { env, findNearestName, type FileState } from '@/lib/server/runtime';
import { getRequestedAssurance } from './claims';
import { getClientsFile, type Client } from './clients';
import { OIDC_ROUTES } from './context';
import { areParametersTaken, isOidcOffered } from './handler';
import { canSign, getKeysFile, readKeys, type Keys } from './keys';
import { getIssuer } from './provider';

type OidcFile = { variable: 'OIDC_CLIENTS_FILE' | 'OIDC_KEYS_FILE'; path: string } & FileState;

/** The state of the provider's files, reread if they have changed; of a valid configuration. */
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

/** `problems`: why a request is refused, each in a sentence; none: it is answered, but for a hint that is not ours any more. */
export type ExplainedRequest = { client: string | null; problems: string[] };

/**
 * Explains how this process's configuration answers an authorization request.
 * @param input a URL, or anything
 * @returns null for what is not the address of our authorization endpoint
 */
export async function explainAuthorizationRequest(input: string): Promise<ExplainedRequest | null> {
  if (!URL.canParse(input) || !input.startsWith(getIssuer() + OIDC_ROUTES.authorization)) return null;
  const { searchParams } = new URL(input);
  const { OIDC_CLIENTS_FILE: path } = env();
  const clients = path === undefined ? null : await getClientsFile(path).read();
  const offered = isOidcOffered()
    ? []
    : ['this deployment is no OpenID Provider: it needs clients, keys, a database and Node.js 20.20'];
  const id = searchParams.get('client_id') ?? '';
  const client = clients?.get(id);
  if (!client) {
    const nearest = findNearestName(id, [...(clients?.keys() ?? [])]);
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    return {
      client: null,
      problems: [...offered, `client_id ${id || 'is missing'} is not in OIDC_CLIENTS_FILE${hint}`],
    };
  }
  const off = client.enabled ? [] : [`the client ${id} is not enabled`];
  const unread = areParametersTaken(input)
    ? []
    : ['a parameter is too long, or all are, or one has control characters'];
  return {
    client: client.name,
    problems: [
      ...offered,
      ...off,
      ...unread,
      ...explainRedirect(client, searchParams),
      ...explainRest(client, searchParams, await readKeys()),
    ],
  };
}

function explainRedirect({ redirectUris }: Client, query: URLSearchParams): string[] {
  const uri = query.get('redirect_uri') ?? '';
  if (redirectUris.includes(uri)) return [];
  if (uri === '') return redirectUris.length === 1 ? [] : ['redirect_uri is missing, and the client has several'];
  const nearest = redirectUris.find(
    (known) => known.toLowerCase().replace(/\/$/, '') === uri.toLowerCase().replace(/\/$/, ''),
  );
  const hint =
    nearest === undefined ? `registered: ${redirectUris.join(', ')}` : `registered, letter by letter: ${nearest}`;
  return [`redirect_uri ${uri} is not registered; ${hint}`];
}

/** Those that the library reads: others may come more than once. */
const PARAMETERS = [
  ...['client_id', 'redirect_uri', 'response_type', 'response_mode', 'scope', 'state', 'nonce', 'prompt', 'max_age'],
  ...['acr_values', 'code_challenge', 'code_challenge_method', 'id_token_hint', 'login_hint', 'ui_locales', 'display'],
];
const PROMPTS = ['none', 'login', 'consent', 'select_account'];
const RESPONSE_MODES = ['query', 'fragment', 'form_post'];

/** @param keys null while there are none, which is told of the deployment */
function explainRest({ pkce, algorithm }: Client, query: URLSearchParams, keys: Keys | null): string[] {
  // One without a value is as one that is missing.
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
