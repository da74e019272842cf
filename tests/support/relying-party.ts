import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import * as oidc from 'openid-client';
import { env } from '@/lib/server/runtime/config/env';
import { writeConfig } from './config-files';
import { listen } from './listen';

/** Callback URL of the tests' clients. Nothing listens there, because tests read responses from the redirect. */
export const CALLBACK = 'https://moodle.school.example/admin/oauth2callback.php';
export const CLIENT_SECRET = 'a-client-secret-of-the-tests-with-40-chars';

const dir = mkdtempSync(path.join(os.tmpdir(), 'oidc-'));
const clientsFile = path.join(dir, 'clients.json');
const keysFile = path.join(dir, 'keys.json');
// Set before a test's deployment starts, so that it is an OpenID Provider with these files.
process.env.OIDC_CLIENTS_FILE = clientsFile;
process.env.OIDC_KEYS_FILE = keysFile;
const secretFile = path.join(dir, 'secret');
writeFileSync(secretFile, `${CLIENT_SECRET}\n`);

export const writeClients = (clients: Record<string, object>) => writeConfig(clientsFile, { clients });

/** Returns a client's entry in the file, with a secret. */
export const describeClient = (more: object = {}) => ({
  name: 'Lakeside Moodle',
  redirectUris: [CALLBACK],
  authentication: 'client_secret_post',
  secretFile,
  ...more,
});

/** Writes keys with these ids in this order, some with more members. It reuses keys whose id it has made before. */
const made = new Map<string, object>();
export function writeKeys(...given: (string | { kid: string; alg: string })[]): void {
  const keys = given.map((each) => {
    const { kid, ...more } = typeof each === 'string' ? { kid: each } : each;
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = made.get(kid) ?? { ...privateKey.export({ format: 'jwk' }), kid, use: 'sig' };
    made.set(kid, key);
    return { ...key, ...more };
  });
  writeConfig(keysFile, { keys });
}

/**
 * Sends requests to the port at which the identity deployment's routes are served, whatever its configured origin is.
 */
export const routeTo =
  (served: string): oidc.CustomFetch =>
  (url, options) => {
    const { pathname, search } = new URL(url);
    return fetch(served + pathname + search, options as RequestInit);
  };

export const getIssuer = () => `${env().NEXT_PUBLIC_APP_ORIGIN}/api/oidc`;

/** Creates a relying party with its library. @param served the origin that serves the routes */
export async function discover(
  served: string,
  clientId: string,
  metadata: Partial<oidc.ClientMetadata> = {},
  authentication: oidc.ClientAuth = oidc.ClientSecretPost(CLIENT_SECRET),
): Promise<oidc.Configuration> {
  const options = { execute: [oidc.allowInsecureRequests], [oidc.customFetch]: routeTo(served) };
  const config = await oidc.discovery(new URL(getIssuer()), clientId, metadata, authentication, options);
  config[oidc.customFetch] = routeTo(served);
  return config;
}

export type Started = { address: URL; verifier: string; state: string; nonce: string };

/** Begins a sign-in as a relying party does. */
export async function begin(config: oidc.Configuration, parameters: Record<string, string> = {}): Promise<Started> {
  const verifier = oidc.randomPKCECodeVerifier();
  const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
  const address = oidc.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'openid profile email',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...parameters,
  });
  return { address, verifier, state, nonce };
}

/** Completes a sign-in: checks the response and exchanges the code. */
export const complete = (config: oidc.Configuration, answer: URL, { verifier, state, nonce }: Started, more = {}) =>
  oidc.authorizationCodeGrant(config, answer, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
    ...more,
  });

export type LogoutToken = { clientId: string; token: string };

/** Starts an endpoint for logout tokens. It fails as often as a test requests. */
export async function startLogoutReceiver() {
  const received: LogoutToken[] = [];
  let [failures, status] = [0, 503];
  const server = await listen((req, res) => {
    void text(req).then((body) => {
      const isRefused = failures > 0;
      if (isRefused) failures -= 1;
      else
        received.push({
          clientId: (req.url ?? '').slice(1),
          token: new URLSearchParams(body).get('logout_token') ?? '',
        });
      res.writeHead(isRefused ? status : 200).end();
    });
  });
  return {
    at: (clientId: string) => `http://localhost:${String(server.port)}/${clientId}`,
    received,
    failNext: (count: number, answer = 503) => void ([failures, status] = [count, answer]),
    stop: () => server.stop(),
  };
}
