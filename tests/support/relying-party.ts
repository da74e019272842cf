import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { parseSetCookie } from 'cookie';
import * as oidc from 'openid-client';
import { env } from '@/lib/server/runtime/config/env';
import { writeConfig } from './config-files';
import { listen } from './listen';

/** Where the tests' clients say they are: nothing listens there, their answers are read from the redirect. */
export const CALLBACK = 'https://moodle.school.example/admin/oauth2callback.php';
export const CLIENT_SECRET = 'a-client-secret-of-the-tests-with-40-chars';

const dir = mkdtempSync(path.join(os.tmpdir(), 'oidc-'));
const clientsFile = path.join(dir, 'clients.json');
const keysFile = path.join(dir, 'keys.json');
// Before a test's deployment starts: it is an OpenID Provider with these files.
process.env.OIDC_CLIENTS_FILE = clientsFile;
process.env.OIDC_KEYS_FILE = keysFile;
const secretFile = path.join(dir, 'secret');
writeFileSync(secretFile, `${CLIENT_SECRET}\n`);

export const writeClients = (clients: Record<string, object>) => writeConfig(clientsFile, { clients });

/** A client as the file has it, with a secret. */
export const describeClient = (more: object = {}) => ({
  name: 'Lakeside Moodle',
  redirectUris: [CALLBACK],
  authentication: 'client_secret_post',
  secretFile,
  ...more,
});

/** Writes new keys with these ids, in this order, some with more members. Those with an id of before stay. */
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

/** The identity deployment's routes are served at a port of their own, whatever its configured origin is. */
export const routeTo =
  (served: string): oidc.CustomFetch =>
  (url, options) => {
    const { pathname, search } = new URL(url);
    return fetch(served + pathname + search, options as RequestInit);
  };

export const getIssuer = () => `${env().NEXT_PUBLIC_APP_ORIGIN}/api/oidc`;

/** A relying party with its library. @param served the origin where the routes are */
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

/** Begins a sign-in, as a relying party does. */
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

/** Ends it: checks the answer and exchanges the code. */
export const complete = (config: oidc.Configuration, answer: URL, { verifier, state, nonce }: Started, more = {}) =>
  oidc.authorizationCodeGrant(config, answer, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
    ...more,
  });

/** Where a page leads that the provider sends instead of a redirect. */
async function readNext(response: Response): Promise<string> {
  const html = await response.text();
  const [, address] = /http-equiv="refresh" content="0; url=([^"]*)"/.exec(html) ?? [];
  if (address === undefined) throw new Error(`${String(response.status)} ${html}`);
  return address.replaceAll('&amp;', '&');
}

/** A browser's cookies with their paths, for the redirects of a sign-in. */
export class Navigator {
  readonly jar = new Map<string, { value: string; path: string }>();

  constructor(
    readonly served: string,
    readonly headers: Record<string, string> = {},
  ) {}

  /** Takes the cookies of another jar, which are for every path. */
  take(cookies: Record<string, string>): void {
    for (const [name, value] of Object.entries(cookies)) this.jar.set(`${name} /`, { value, path: '/' });
  }

  /** Opens an address of the identity deployment, and follows no redirect. */
  async open(address: URL | string, init: RequestInit = {}): Promise<Response> {
    const { pathname, search } = new URL(address);
    const sent = [...this.jar].filter(([, { path: scope }]) => pathname.startsWith(scope));
    const cookie = sent.map(([key, { value }]) => `${key.split(' ')[0] ?? ''}=${value}`).join('; ');
    const headers = { accept: 'text/html', ...this.headers, cookie, ...(init.headers as Record<string, string>) };
    const response = await fetch(this.served + pathname + search, { redirect: 'manual', ...init, headers });
    for (const header of response.headers.getSetCookie()) {
      const { name, value = '', path: scope = '/', expires, maxAge } = parseSetCookie(header) ?? { name: '' };
      const isOver = maxAge === 0 || (expires !== undefined && expires.getTime() <= Date.now());
      if (isOver) this.jar.delete(`${name} ${scope}`);
      else this.jar.set(`${name} ${scope}`, { value, path: scope });
    }
    return response;
  }

  /** Follows redirects within the issuer. @returns where they lead: to the client, or to a page of the app */
  async follow(address: URL | string): Promise<URL> {
    let next = new URL(address);
    for (let hops = 0; hops < 10; hops += 1) {
      const response = await this.open(next);
      const location = response.headers.get('location') ?? (await readNext(response));
      next = new URL(location, next);
      if (!next.pathname.startsWith('/api/oidc/')) return next;
    }
    throw new Error('Too many redirects');
  }
}

export type LogoutToken = { clientId: string; token: string };

/** Where clients are told of logouts. It answers with a failure as often as it is told to. */
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
