import { isSecondFactorOffered } from '@/lib/server/policy';
import { env, findNearestName, type FileState } from '@/lib/server/runtime';
import { getRequestedAssurance } from './claims';
import { getClientsFile, type Client } from './clients';
import { OIDC_ROUTES } from './context';
import { isOidcOffered } from './handler';
import { canSign, getKeysFile } from './keys';
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

/** `problems`: why a request is refused, each in a sentence; none: it is answered. */
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
  return {
    client: client.name,
    problems: [...offered, ...off, ...explainRedirect(client, searchParams), ...explainRest(client, searchParams)],
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

function explainRest({ pkce }: Client, query: URLSearchParams): string[] {
  const has = (name: string) => query.get(name) !== null;
  const method = query.get('code_challenge_method');
  return [
    query.get('response_type') === 'code' ? [] : ['response_type must be code'],
    query.get('scope')?.split(' ').includes('openid') === true ? [] : ['scope must contain openid'],
    has('code_challenge') || !pkce
      ? []
      : ['code_challenge is missing: set "pkce": false for a client that has no PKCE'],
    has('code_challenge') && method !== 'S256' ? ['code_challenge_method must be S256'] : [],
    ['request', 'request_uri', 'registration'].filter(has).map((name) => `${name} is not supported`),
    getRequestedAssurance(query.get('acr_values')) === 2 && !isSecondFactorOffered()
      ? ['acr_values asks for two factors, and accounts have none: set SECOND_FACTOR_SECRET']
      : [],
  ].flat();
}
