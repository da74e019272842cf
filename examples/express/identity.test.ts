import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createIdentity } from './identity.mjs';

const servers: http.Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

/** A sign-in app that counts its checks; each response names the session. */
async function start(options: Partial<Parameters<typeof createIdentity>[0]> = {}) {
  const checks: string[] = [];
  const identityOrigin = await serve((req, res) => {
    checks.push(req.headers.cookie ?? '');
    res.end(JSON.stringify({ uid: req.headers.cookie }));
  });
  const clock = { now: 0 };
  const ownOrigin = 'https://learn.campus.example';
  const identity = createIdentity({ identityOrigin, ownOrigin, now: () => clock.now, ...options });
  return { identity, checks, clock };
}

async function serve(handle: http.RequestListener) {
  const server = http.createServer(handle);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const cookie = (value: string) => `_secure-user-session=${value}`;

it('shares one check between concurrent requests of a session', async () => {
  const { identity, checks } = await start();
  await Promise.all(['a', 'a', 'a', 'b'].map((value) => identity.getSession(cookie(value))));
  expect(checks.toSorted()).toEqual([cookie('a'), cookie('b')]);
});

it('checks again after 5 s, and no earlier', async () => {
  const { identity, checks, clock } = await start();
  for (const now of [0, 4_999, 5_000]) {
    clock.now = now;
    await identity.getSession(cookie('a'));
  }
  expect(checks).toHaveLength(2);
});

it('keeps the newest sessions only', async () => {
  const { identity, checks } = await start({ cacheSize: 2 });
  for (const value of ['a', 'b', 'c', 'c', 'b', 'a']) await identity.getSession(cookie(value));
  expect(checks).toEqual(['a', 'b', 'c', 'a'].map(cookie));
});

it('asks each time without a cache', async () => {
  const { identity, checks } = await start({ cacheMs: 0 });
  for (let i = 0; i < 2; i += 1) await identity.getSession(cookie('a'));
  expect(checks).toHaveLength(2);
});

it.each([
  ['a session', { uid: 'lena', sids: ['1', '9'] }, ['lena1']],
  ['all sessions of an account', { uid: 'lena', sids: null }, ['lena1', 'lena2']],
  ['an account', { uid: 'omar' }, ['omar1']],
  ['a session of another account', { uid: 'omar', sids: ['2'] }, []],
  ['no account', {}, []],
])('forgets what a webhook about %s is about, and nothing else', async (_name, data, expected) => {
  const checks: string[] = [];
  const identityOrigin = await serve((req, res) => {
    const [, name = '', uid, sid] = /=((\D+)(\d))$/.exec(req.headers.cookie ?? '') ?? [];
    checks.push(name);
    res.end(JSON.stringify({ uid, sid }));
  });
  const { getSession, forget } = createIdentity({ identityOrigin, ownOrigin: 'https://learn.campus.example' });
  const askAll = () => Promise.all(['lena1', 'lena2', 'omar1'].map((name) => getSession(cookie(name))));
  await askAll();
  checks.length = 0;
  await forget(data);
  await askAll();
  expect(checks).toEqual(expected);
});

it.each(['{}', 'null', '{"uid":""}', '{"uid":1}', '[]', 'no JSON'])('a 200 with %s signs no one in', async (body) => {
  const identityOrigin = await serve((_req, res) => void res.end(body));
  const { getSession } = createIdentity({ identityOrigin, ownOrigin: 'https://learn.campus.example' });
  expect(await getSession(cookie('a'))).toEqual({ state: 'unknown' });
});

it.each([
  ['/a?b=c', 'https://learn.campus.example/a?b=c'],
  ['//evil.example/a', 'https://learn.campus.example/a'],
  ['http://evil.example/a?b', 'https://learn.campus.example/a?b'],
  ['//', 'https://learn.campus.example/'],
  ['//[', 'https://learn.campus.example/'],
])('returns to this site from %s', async (path, redirectUri) => {
  const { identity } = await start();
  for (const address of [identity.getSignInUrl(path), identity.getSignOutUrl(path)])
    expect(new URL(address).searchParams.get('redirect_uri')).toBe(redirectUri);
});

it.each([
  ['refuses a script whose path is no address', {}, {}, 401],
  [
    'passes an unexpected error on',
    { verifyCookie: () => Promise.reject(new Error('unexpected')) },
    { cookie: cookie('a') },
    500,
  ],
])('the middleware %s', async (_name, options, headers, status) => {
  const { requireLearner } = (await start(options)).identity;
  const site = await serve((req, res) => {
    void requireLearner(req, res, (error) => res.writeHead(error ? 500 : 200).end());
  });
  expect((await fetch(`${site}//`, { headers, redirect: 'manual' })).status).toBe(status);
});
