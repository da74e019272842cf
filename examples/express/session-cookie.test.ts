// Threats: stolen-session
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createIdentity } from './identity.mjs';
import { createCookieVerifier } from './session-cookie.mjs';

const servers: http.Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

const serve = async (handle: http.RequestListener) => {
  const server = http.createServer(handle);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
const createKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const own = createKey();
const NOW = Date.parse('2026-11-25T09:00:00Z');

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = {
  iss: 'https://session.firebase.google.com/campus-prod',
  aud: 'campus-prod',
  sub: 'p3x',
  iat: NOW / 1000 - 10,
  exp: NOW / 1000 + 432_000,
};
function makeCookie(changed: object = {}, header: object = {}, key: KeyObject = own.privateKey) {
  const signed = `${encode({ alg: 'RS256', kid: 'a', ...header })}.${encode({ ...claims, ...changed })}`;
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), key).toString('base64url')}`;
}

async function start() {
  const keys: Record<string, KeyObject> = { a: own.publicKey };
  const published = { keys, isUp: true, fetched: 0, answers: Promise.resolve() };
  const keysUrl = await serve((_req, res) => {
    published.fetched += 1;
    if (!published.isUp) return void res.writeHead(500).end();
    const byId = Object.entries(published.keys).map(([id, key]) => [id, key.export({ type: 'spki', format: 'pem' })]);
    res.setHeader('cache-control', 'public, max-age=600');
    void published.answers.then(() => res.end(JSON.stringify(Object.fromEntries(byId))));
  });
  const clock = { now: NOW };
  return {
    published,
    clock,
    verify: createCookieVerifier({ projectId: 'campus-prod', keysUrl, now: () => clock.now }),
  };
}

it('accepts what the identity provider has signed for the project, with one fetch of its keys', async () => {
  const { verify, published } = await start();
  expect(await Promise.all([makeCookie(), makeCookie(), makeCookie({ sub: 'q' })].map(verify))).toEqual([
    'genuine',
    'genuine',
    'genuine',
  ]);
  expect(published.fetched).toBe(1);
});

it.each([
  ['no token', 'abc'],
  ['no JSON', 'a.b.c'],
  ['an empty one', ''],
  ['null', `${encode(null)}.${encode(null)}.`],
  ['another algorithm', makeCookie({}, { alg: 'HS256' })],
  ['no algorithm', `${encode({ alg: 'none' })}.${encode(claims)}.`],
  ['an unknown key', makeCookie({}, { kid: 'b' })],
  ['a key of the object itself', makeCookie({}, { kid: 'constructor' })],
  ['the signature of another key', makeCookie({}, {}, createKey().privateKey)],
  ['changed claims', makeCookie().replace(/\.[^.]+\./, `.${encode({ ...claims, sub: 'other' })}.`)],
  ['no signature', makeCookie().replace(/[^.]+$/, '')],
  ['an ID token', makeCookie({ iss: 'https://securetoken.google.com/campus-prod' })],
  ['another project', makeCookie({ iss: 'https://session.firebase.google.com/x', aud: 'x' })],
  ['another audience', makeCookie({ aud: 'x' })],
  ['no user', makeCookie({ sub: '' })],
  ['an end in the past', makeCookie({ exp: NOW / 1000 - 300 })],
  ['no end', makeCookie({ exp: undefined })],
])('refuses %s', async (_name, cookie) => {
  expect(await (await start()).verify(cookie)).toBe('refused');
});

it.each([
  ['behind', { iat: NOW / 1000 + 299 }],
  ['ahead', { exp: NOW / 1000 - 299 }],
])('leaves a session to the sign-in app where the clock of this site is %s', async (_name, changed) => {
  expect(await (await start()).verify(makeCookie(changed))).toBe('genuine');
});

it('follows a change of keys, and keeps those of before while they cannot be fetched', async () => {
  const { verify, published, clock } = await start();
  const next = createKey();
  const later = makeCookie({}, { kid: 'b' }, next.privateKey);
  await verify(makeCookie());
  published.keys = { ...published.keys, b: next.publicKey };
  // An id that no key has does not have them fetched each time.
  expect(await verify(later)).toBe('unknown');
  expect(published.fetched).toBe(1);
  clock.now += 60_000;
  expect(await verify(later)).toBe('genuine');
  published.isUp = false;
  clock.now += 700_000;
  expect(await verify(later)).toBe('genuine');
  const unknown = makeCookie({}, { kid: 'c' });
  expect([await verify(unknown), published.fetched]).toEqual(['unknown', 3]);
  clock.now += 60_000;
  expect([await verify(unknown), published.fetched]).toEqual(['unknown', 4]);
  published.isUp = true;
  clock.now += 60_000;
  expect([await verify(unknown), published.fetched]).toEqual(['refused', 5]);
});

it('does not wait for newer keys with one that is known, which is gone once they are there without it', async () => {
  const { verify, published, clock } = await start();
  await verify(makeCookie());
  let answer = () => {};
  published.answers = new Promise((resolve) => (answer = resolve));
  published.keys = { b: createKey().publicKey };
  clock.now += 600_000;
  expect(await verify(makeCookie())).toBe('genuine');
  answer();
  expect(await verify(makeCookie({}, { kid: 'c' }))).toBe('refused');
  expect(await verify(makeCookie())).toBe('unknown');
});

it('cannot decide without keys, and does not wait for them each time', async () => {
  const { verify, published, clock } = await start();
  published.isUp = false;
  expect(await verify(makeCookie())).toBe('unknown');
  expect([await verify(makeCookie()), published.fetched]).toEqual(['unknown', 1]);
  published.isUp = true;
  clock.now += 59_999;
  expect(await verify(makeCookie())).toBe('unknown');
  clock.now += 1;
  expect([await verify(makeCookie()), published.fetched]).toEqual(['genuine', 2]);
});

it('a forged cookie makes no call, a genuine one is asked for once in the window, and never beyond its own end', async () => {
  const { verify, published, clock } = await start();
  let calls = 0;
  const identityOrigin = await serve((_req, res) => {
    calls += 1;
    res.end(JSON.stringify({ uid: 'p3x', expiresAt: new Date(NOW + 70_000).toISOString() }));
  });
  const options = { identityOrigin, ownOrigin: 'https://learn.campus.example', verifyCookie: verify, cacheMs: 60_000 };
  const { getSession } = createIdentity({ ...options, now: () => clock.now });
  const getState = async (cookie: string) => (await getSession(`a=b; _secure-user-session=${cookie}`)).state;
  const genuine = makeCookie();
  expect([await getState('x'), await getState(makeCookie({ aud: 'x' })), calls]).toEqual([
    'signed-out',
    'signed-out',
    0,
  ]);
  for (const [after, expected] of [
    [0, 1],
    [59_999, 1],
    [60_000, 2],
    [69_999, 2],
    [70_000, 3],
  ] as const) {
    clock.now = NOW + after;
    expect([await getState(genuine), calls]).toEqual(['signed-in', expected]);
  }
  // Without keys, the sign-in app decides.
  published.isUp = false;
  const unknown = createCookieVerifier({
    projectId: 'campus-prod',
    keysUrl: 'http://127.0.0.1:9',
    now: () => clock.now,
  });
  const { getSession: ask } = createIdentity({ ...options, verifyCookie: unknown, now: () => clock.now });
  expect((await ask(`_secure-user-session=${genuine}`)).state).toBe('signed-in');
});
