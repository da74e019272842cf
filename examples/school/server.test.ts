import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePorts } from '../../scripts/lib/ports.mjs';
import type { Service } from '../../scripts/lib/processes.mjs';
import { startSchool } from '../../scripts/lib/services.mjs';
import { listen } from '../../tests/support/listen';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

let provider: Awaited<ReturnType<typeof listen>>;
let school: Service;
let port = 0;
let nonce = '';
let keysFetched = 0;
const { publicKey, privateKey } = await generateKeyPair('RS256');
beforeAll(async () => {
  provider = await listen((req, res) => {
    const issuer = `http://127.0.0.1:${provider.port}/api/oidc`;
    if (req.url?.endsWith('/jwks')) {
      keysFetched += 1;
      return void exportJWK(publicKey).then((key) => res.end(JSON.stringify({ keys: [{ ...key, kid: 'a' }] })));
    }
    const [iat, exp] = [Math.floor(Date.now() / 1000), Math.floor(Date.now() / 1000) + 600];
    const claims = { iss: issuer, aud: 'school', sub: 'p3x', name: 'Lena', nonce, iat, exp };
    // The school has it from the provider itself, and does not look at the signature.
    const idToken = `${encode({ alg: 'RS256' })}.${encode(claims)}.${encode('unsigned')}`;
    const answer = req.url?.endsWith('/token')
      ? { access_token: 'a', token_type: 'bearer', id_token: idToken }
      : {
          issuer,
          jwks_uri: `${issuer}/jwks`,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
        };
    res.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  [port = 0] = await freePorts(1);
  process.env.SCHOOL_SESSION_SECONDS = '3';
  const dir = mkdtempSync(path.join(os.tmpdir(), 'school-'));
  school = await startSchool({ port, identityOrigin: `http://127.0.0.1:${provider.port}`, secret: 'secret', dir });
}, 240_000);
afterAll(async () => {
  await school.stop();
  await provider.stop();
});

const open = (page: string, cookie = '', at = port) =>
  fetch(`http://127.0.0.1:${at}${page}`, { headers: { cookie }, redirect: 'manual' });
const getCookie = (response: Response) => response.headers.getSetCookie()[0]?.split(';')[0];

async function begin(at = port) {
  const begun = await open('/sign-in', '', at);
  const { searchParams } = new URL(begun.headers.get('location') ?? '');
  const callback = `/callback?code=c&state=${searchParams.get('state') ?? ''}`;
  return { callback, nonce: searchParams.get('nonce') ?? '', cookie: getCookie(begun) };
}

async function signIn(): Promise<string> {
  const begun = await begin();
  ({ nonce } = begun);
  expect((await open(begun.callback)).headers.get('location')).toBe('/?problem=expired');
  const back = await open(begun.callback, begun.cookie);
  expect(back.headers.get('location')).toBe('/');
  return getCookie(back) ?? '';
}

/** @param iat in seconds from now @param exp in seconds from now */
async function logOut(iat: number, kid = 'a', exp = 120): Promise<number> {
  const now = Math.floor(Date.now() / 1000);
  const token = new SignJWT({ events: { 'http://schemas.openid.net/event/backchannel-logout': {} } })
    .setProtectedHeader({ alg: 'RS256', typ: 'logout+jwt', kid })
    .setIssuer(`http://127.0.0.1:${provider.port}/api/oidc`)
    .setAudience('school')
    .setSubject('p3x')
    .setJti(randomUUID())
    .setIssuedAt(now + iat)
    .setExpirationTime(now + exp);
  const body = new URLSearchParams({ logout_token: await token.sign(privateKey) });
  return (await fetch(`http://127.0.0.1:${port}/backchannel-logout`, { method: 'POST', body })).status;
}

it('two tabs sign in at the same time, and neither with the state of the other', async () => {
  const tabs = [await begin(), await begin()];
  const cookie = tabs.map((tab) => tab.cookie).join('; ');
  for (const tab of tabs) {
    ({ nonce } = tab);
    expect((await open(tab.callback, cookie)).headers.get('location')).toBe('/');
  }
  const [one, other] = tabs;
  expect((await open(one?.callback ?? '', other?.cookie)).headers.get('location')).toBe('/?problem=expired');
});

it('sign-ins that are never finished leave a browser few cookies', async () => {
  const cookies = Array.from({ length: 9 }, (_, i) => `pending-${i}=a.b`);
  const readSet = async (cookie: string[]) => (await open('/sign-in', cookie.join('; '))).headers.getSetCookie();
  expect(await readSet(cookies.slice(1))).toHaveLength(1);
  const cleared = (await readSet(cookies)).filter((set) => /^pending-\d=;.*Max-Age=0/.test(set));
  expect(cleared).toHaveLength(9);
});

it('at its own address, no cookie of a sibling host counts', async () => {
  const [at = 0] = await freePorts(1);
  const dir = mkdtempSync(path.join(os.tmpdir(), 'school-'));
  const identityOrigin = `http://127.0.0.1:${provider.port}`;
  const secure = await startSchool({
    port: at,
    identityOrigin,
    secret: 'secret',
    dir,
    origin: 'https://school.example',
  });
  const begun = await begin(at);
  ({ nonce } = begun);
  const planted = begun.cookie?.replace('__Host-', '');
  expect((await open(begun.callback, planted, at)).headers.get('location')).toBe('/?problem=expired');
  const back = await open(begun.callback, begun.cookie, at);
  expect(back.headers.get('location')).toBe('/');
  for (const cookie of back.headers.getSetCookie()) expect(cookie).toMatch(/^__Host-.*Path=\/;.*Secure$/);
  await secure.stop();
});

it('a further sign-in ends the session that the browser had', async () => {
  const cookie = await signIn();
  const begun = await begin();
  ({ nonce } = begun);
  expect((await open(begun.callback, `${begun.cookie}; ${cookie}`)).headers.get('location')).toBe('/');
  expect((await open('/', cookie)).headers.get('location')).toContain('prompt=none');
});

it('a session ends by itself, and the sign-in app is asked again', async () => {
  const cookie = await signIn();
  const getNext = async () => (await open('/', cookie)).headers.get('location') ?? '';
  await expect.poll(getNext, { timeout: 60_000 }).toContain('prompt=none');
});

it('a logout of all sessions that comes late ends those that began before it alone', async () => {
  const cookie = await signIn();
  const read = async () => (await open('/', cookie)).text();
  expect(await logOut(-60)).toBe(200);
  expect(await read()).toContain('Signed in as');
  expect(await logOut(0)).toBe(200);
  expect(await read()).toContain('has signed you out');
});

it('a logout token is received where the clock of this site is a little ahead', async () => {
  expect([await logOut(-150, 'a', -30), await logOut(-300, 'a', -180)]).toEqual([200, 400]);
});

it('forged logout tokens do not have the keys fetched each time', async () => {
  await logOut(0);
  const before = keysFetched;
  for (let i = 0; i < 3; i += 1) expect(await logOut(0, `unknown-${i}`)).toBe(400);
  expect(keysFetched - before).toBeLessThanOrEqual(1);
});

it('a link to the sign-in page changes nothing else of the request', async () => {
  const { headers } = await open(
    '/sign-in?prompt=login&acr_values=aal2&redirect_uri=https%3A%2F%2Fevil.example&scope=openid',
  );
  const { searchParams } = new URL(headers.get('location') ?? '');
  expect(Object.fromEntries(searchParams)).toMatchObject({
    prompt: 'login',
    acr_values: 'aal2',
    scope: 'openid profile email',
  });
  expect(searchParams.getAll('redirect_uri')).toEqual([expect.stringMatching(/\/callback$/)]);
});

it('a logout token that is too long is refused', async () => {
  const body = new URLSearchParams({ logout_token: 'a'.repeat(64 * 1024 - 'logout_token'.length) });
  expect((await fetch(`http://127.0.0.1:${port}/backchannel-logout`, { method: 'POST', body })).status).toBe(413);
});
