// ASVS: 10.4.1, 10.4.3
// Threats: foreign-client, stolen-session
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import * as oauth from 'oauth4webapi';
import * as oidc from 'openid-client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { hasNginx, startNginx } from '../../scripts/lib/nginx.mjs';
import { root } from '../../scripts/lib/paths.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { CookieJar } from '../support/client';
import { engines, toVariables, useDatabase } from '../support/databases';
import { Navigator } from '../support/navigator';
import {
  begin,
  CALLBACK,
  CLIENT_SECRET,
  complete,
  describeClient,
  discover,
  getIssuer,
  writeClients,
  writeKeys,
} from '../support/relying-party';
import { startRoutesProcess, type RoutesProcess } from '../support/served-routes';
import { createTestUser, fetchIdToken, type TestUser } from '../support/test-users';

const [port = 0] = hasNginx() ? await freePorts(1) : [];
const origin = `http://localhost:${String(port)}`;
Object.assign(process.env, { NEXT_PUBLIC_APP_ORIGIN: origin, TRUSTED_PROXY_HOPS: '1' });

writeClients({
  moodle: describeClient({ pkce: false }),
  'moodle-basic': describeClient({ pkce: false, authentication: 'client_secret_basic' }),
  'open-edx': describeClient({ pkce: false, authentication: 'client_secret_basic' }),
  library: describeClient(),
});
writeKeys('first');

const file = (name: string) => path.join(root, 'tests/support/relying-parties', name);
const runs = (program: string, ...args: string[]) => spawnSync(program, args, { timeout: 60_000 }).status === 0;
const hasSocialCore = runs('/usr/bin/python3', '-c', 'import social_core, jose');
const hasPhp = runs('php', '--version');
if (!hasSocialCore) console.log('Skipped: Open edX. Install it: apt-get install python3-social-auth-core python3-jose');

/**
 * Runs a program that prints the address of its request, reads the browser's final address, and prints the user's
 * claims.
 */
async function signInWith(program: string, args: string[], follow: (address: string) => Promise<URL>) {
  const running = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let errors = '';
  running.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const lines = createInterface(running.stdout);
  const closed = once(running, 'close');
  const [address] = (await Promise.race([once(lines, 'line'), closed.then(() => ['failed'])])) as [string];
  if (!address.startsWith('http')) throw new Error(errors);
  const result = once(lines, 'line');
  running.stdin.end(`${(await follow(address)).href}\n`);
  const [line] = (await Promise.race([result, closed.then(() => ['""'])])) as [string];
  await closed;
  expect(errors).toBe('');
  return { address: new URL(address), result: JSON.parse(line) as Record<string, unknown> };
}

/** PostgreSQL serves two processes, but the embedded database serves only one. */
describe.skipIf(!hasNginx()).each(engines)('behind nginx, on %s', (kind) => {
  const database = useDatabase(kind);
  let processes: RoutesProcess[] = [];
  let nginx: Awaited<ReturnType<typeof startNginx>>;
  let user: TestUser;
  let navigator: Navigator;
  beforeAll(async () => {
    const start = () => startRoutesProcess(toVariables(database.choice));
    processes = await Promise.all(kind === 'postgres' ? [start(), start()] : [start()]);
    const origins = processes.map((each) => each.origin);
    nginx = await startNginx({ port, origins, checkOrigins: origins });
    user = await createTestUser();
    const { address } = await begin(await discover(origin, 'library'));
    // A process's first session does not wait for its database.
    await vi.waitFor(
      async () => {
        navigator = new Navigator(origin);
        const browser = new CookieJar({ origin, 'sec-fetch-site': 'same-origin' });
        const answer = await browser.post(`${origin}/api/create-user-session`, { token: await fetchIdToken(user) });
        expect(answer.status).toBe(200);
        navigator.take(browser.cookies);
        expect((await navigator.open(address)).status).toBe(303);
      },
      { timeout: 120_000, interval: 2_000 },
    );
  });
  afterAll(async () => {
    await nginx.stop();
    await Promise.all(processes.map((each) => each.stop()));
  });

  test.skipIf(!hasSocialCore)('the library under Open edX signs a user in', async () => {
    const args = [file('open_edx.py'), getIssuer(), 'open-edx', CLIENT_SECRET, CALLBACK];
    const { result } = await signInWith('/usr/bin/python3', args, (address) => navigator.follow(address));
    const [first, ...last] = user.name.split(' ');
    expect(result).toMatchObject({
      details: {
        username: user.uid.toLowerCase(),
        email: user.email,
        fullname: user.name,
        first_name: first,
        last_name: last.join(' '),
      },
      claims: { sub: user.uid, acr: 'aal1', iss: getIssuer(), aud: 'open-edx' },
    });
  });

  test.skipIf(!hasPhp).each([
    ['post', 'moodle'],
    ['basic', 'moodle-basic'],
  ])('what Moodle sends signs a user in, with the secret by %s', async (method, id) => {
    const args = [file('moodle.php'), getIssuer(), id, CLIENT_SECRET, CALLBACK, method];
    const { address, result } = await signInWith('php', args, (next) => navigator.follow(next));
    expect(address.searchParams.has('nonce') || address.searchParams.has('code_challenge')).toBe(false);
    const { uid, email } = user;
    expect(result).toMatchObject({ sub: uid, preferred_username: uid.toLowerCase(), email, given_name: 'Pat' });
  });

  test('oauth4webapi signs a user in, and revokes its token', async () => {
    const options = { [oauth.allowInsecureRequests]: true };
    const issuer = new URL(getIssuer());
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
    const client = { client_id: 'library' };
    const secret = oauth.ClientSecretPost(CLIENT_SECRET);
    const verifier = oauth.generateRandomCodeVerifier();
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
    const address = new URL(server.authorization_endpoint ?? '');
    address.search = new URLSearchParams({
      ...client,
      ...{ response_type: 'code', redirect_uri: CALLBACK, scope: 'openid email', state, nonce, max_age: '300' },
      ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
    }).toString();
    const answer = oauth.validateAuthResponse(server, client, await navigator.follow(address), state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      secret,
      answer,
      CALLBACK,
      verifier,
      options,
    );
    const checks = { expectedNonce: nonce, requireIdToken: true, maxAge: 300 };
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, checks);
    await oauth.validateApplicationLevelSignature(server, response, options);
    const ask = () => oauth.userInfoRequest(server, client, tokens.access_token, options);
    const userinfo = await oauth.processUserInfoResponse(server, client, user.uid, await ask());
    expect(userinfo).toMatchObject({ sub: user.uid, email: user.email });
    expect(userinfo).not.toHaveProperty('name');
    const revoked = await oauth.revocationRequest(server, client, secret, tokens.access_token, options);
    expect(await oauth.processRevocationResponse(revoked)).toBeUndefined();
    expect((await ask()).status).toBe(401);
  });

  test('openid-client signs a user in: each step by whichever process', async () => {
    for (let round = 0; round < 4; round += 1) {
      const config = await discover(origin, 'library');
      const started = await begin(config, round % 2 === 0 ? {} : { prompt: 'none' });
      const tokens = await complete(config, await navigator.follow(started.address), started);
      expect(tokens.claims()?.sub).toBe(user.uid);
      expect(await oidc.fetchUserInfo(config, tokens.access_token, user.uid)).toMatchObject({ email: user.email });
    }
  });

  test('a sign-in that begins in one process ends in the other, and a code is used once by all', async () => {
    const [first = origin, second = first] = processes.map((each) => each.origin);
    const stranger = new Navigator(first);
    const [one, other] = [await discover(first, 'library'), await discover(second, 'library')];
    const started = await begin(one);
    const back = (await stranger.follow(started.address)).searchParams.get('redirect_uri') ?? '';
    const at = new Navigator(second);
    for (const [key, value] of [...stranger.jar, ...navigator.jar]) at.jar.set(key, value);
    const answer = await at.follow(back);
    const tries = await Promise.allSettled([one, other, one, other].map((config) => complete(config, answer, started)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    // A replay revoked the tokens of the first exchange.
    await expect(complete(other, answer, started)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  test('keys rotate in all processes, and tokens end in all of them with the session', async () => {
    const config = await discover(origin, 'library');
    const started = await begin(config);
    const tokens = await complete(config, await navigator.follow(started.address), started);
    writeKeys('second', 'first');
    for (const { origin: own } of processes)
      await expect.poll(async () => (await fetch(`${own}/api/oidc/jwks`)).text()).toContain('second');
    const next = await begin(config);
    const fresh = await discover(origin, 'library');
    expect((await complete(fresh, await navigator.follow(next.address), next)).claims()?.sub).toBe(user.uid);
    const browser = new CookieJar({ origin, 'sec-fetch-site': 'same-origin' });
    for (const [key, { value }] of navigator.jar) browser.cookies[key.split(' ')[0] ?? ''] = value;
    await browser.post(`${processes[0]?.origin ?? ''}/api/initiate-logout`);
    for (const { origin: own } of processes) {
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      expect((await fetch(`${own}/api/oidc/userinfo`, { headers })).status).toBe(401);
    }
  });
});
