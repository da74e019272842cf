// Threats: flooding
import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { trimInteractions } from '@/lib/server/oidc/adapter';
import { getRecords } from '@/lib/server/storage/records';
import { oidcArtifacts } from '@/lib/server/storage/records/schema';
import { consumeLimit } from '@/lib/server/storage/rate-limits';
import { LIMITS } from '@/lib/server/storage/rate-limits/table';
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
import { serveSessions } from '../support/session-app';

process.env.TRUSTED_PROXY_HOPS = '1';
writeClients({ moodle: describeClient() });
writeKeys('first');
const app = serveSessions();

let network = 0;
beforeEach(() => {
  network += 1;
});
const getSchool = () => `203.0.113.${String(network)}`;
const toApp = (path: string) => new URL(new URL(getIssuer()).pathname + path, app.origin);

async function fetchToken(): Promise<string> {
  const browser = app.newBrowser();
  await app.signIn(browser);
  const navigator = new Navigator(app.origin);
  navigator.take(browser.cookies);
  const config = await discover(app.origin, 'moodle', {});
  const started = await begin(config, {});
  const tokens = await complete(config, await navigator.follow(started.address), started);
  return tokens.access_token;
}

const createRandom = () => randomBytes(32).toString('base64url');
const askUserinfo = (token: string | null, init: RequestInit = {}) =>
  fetch(toApp('/userinfo'), {
    ...init,
    headers: { 'x-forwarded-for': getSchool(), ...(token !== null && { authorization: `Bearer ${token}` }) },
  });

describe('userinfo', () => {
  test('random tokens have a lower limit of their own, which a token of ours does not share', async () => {
    const token = await fetchToken();
    const statuses: number[] = [];
    for (let i = 0; i < LIMITS['oidc-unknown-token'].points + 5; i += 1)
      statuses.push((await askUserinfo(createRandom())).status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(LIMITS['oidc-unknown-token'].points);
    expect(statuses.slice(-5)).toEqual([429, 429, 429, 429, 429]);
    expect((await askUserinfo(token)).status).toBe(200);
  });

  test.each<[string, string | null, RequestInit]>([
    ['no token', null, {}],
    ['a token of another form', 'a.b.c', {}],
    ['a token in the body', null, { method: 'POST', body: new URLSearchParams({ access_token: 'x'.repeat(43) }) }],
    ['a long token', 'x'.repeat(4_000), {}],
  ])('%s counts as an unknown one', async (_what, token, init) => {
    await Promise.allSettled(
      Array.from({ length: LIMITS['oidc-unknown-token'].points }, () =>
        consumeLimit('oidc-unknown-token', getSchool()),
      ),
    );
    expect((await askUserinfo(token, init)).status).toBe(429);
    expect((await askUserinfo(null, { method: 'OPTIONS' })).status).not.toBe(429);
  });
});

describe.each<[string, (value: string) => Record<string, string>]>([
  ['/token', (code) => ({ grant_type: 'authorization_code', code, redirect_uri: CALLBACK })],
  ['/token', (value) => ({ grant_type: 'refresh_token', refresh_token: value })],
  ['/revoke', (token) => ({ token })],
])('%s', (path, getForm) => {
  const send = (form: Record<string, string>, init: RequestInit = {}) =>
    fetch(toApp(path), {
      method: 'POST',
      headers: { 'x-forwarded-for': getSchool() },
      body: new URLSearchParams({ client_id: 'moodle', client_secret: CLIENT_SECRET, ...form }),
      ...init,
    });

  test('what this app has not issued has the lower limit, and what it has issued goes on', async () => {
    expect((await send(getForm(createRandom()))).status).not.toBe(429);
    await Promise.allSettled(
      Array.from({ length: LIMITS['oidc-unknown-token'].points }, () =>
        consumeLimit('oidc-unknown-token', getSchool()),
      ),
    );
    for (const value of [createRandom(), '', 'x'.repeat(4_000), 'a.b.c'])
      expect((await send(getForm(value))).status).toBe(429);
    expect((await send({}, { body: '{}', headers: { 'x-forwarded-for': getSchool() } })).status).toBe(429);
    // A learner at the same address can sign in, and the client can revoke the token.
    const token = await fetchToken();
    const ended = await fetch(toApp('/revoke'), {
      method: 'POST',
      headers: { 'x-forwarded-for': getSchool() },
      body: new URLSearchParams({ client_id: 'moodle', client_secret: CLIENT_SECRET, token }),
    });
    expect(ended.status).toBe(200);
    expect((await askUserinfo(token)).status).toBe(429);
  });
});

describe('begun sign-ins', () => {
  const startSignIn = async (parameters: Record<string, string> = {}, client = getSchool()) => {
    const { address } = await begin(await discover(app.origin, 'moodle', {}), parameters);
    const path = new URL(address).pathname + new URL(address).search;
    return fetch(app.origin + path, { redirect: 'manual', headers: { 'x-forwarded-for': client } });
  };
  const readRows = async () => {
    const records = await getRecords();
    const isInteraction = eq(oidcArtifacts.model, 'Interaction');
    const { payload, expiresAt } = oidcArtifacts;
    return records.transact((tx) =>
      tx.select({ payload, expiresAt }).from(oidcArtifacts).where(isInteraction).orderBy(expiresAt),
    );
  };

  test('keep no more than the request once', async () => {
    const before = (await readRows()).length;
    const longest = {
      state: createRandom().repeat(40).slice(0, 1_700),
      nonce: createRandom().repeat(40).slice(0, 1_700),
    };
    expect((await startSignIn(longest)).status).toBe(303);
    const rows = await readRows();
    expect(rows).toHaveLength(before + 1);
    expect(JSON.stringify(rows.at(-1)?.payload).length).toBeLessThan(5_120);
  });

  test('are bounded in total: the oldest give way', async () => {
    for (let i = 0; i < 5; i += 1) expect((await startSignIn()).status).toBe(303);
    const before = await readRows();
    await trimInteractions(before.length);
    expect(await readRows()).toEqual(before);
    await trimInteractions(3);
    expect(await readRows()).toEqual(before.slice(-3));
  });

  test('of one /48 have one limit', async () => {
    const toAddress = (host: number) => `2001:db8:${network.toString(16)}:${host.toString(16)}::1`;
    expect((await startSignIn({}, toAddress(0))).status).toBe(303);
    const key = `2001:db8:${network.toString(16)}::/48`;
    await Promise.allSettled(
      Array.from({ length: LIMITS['oidc-authorize'].points }, () => consumeLimit('oidc-authorize', key)),
    );
    for (const host of [1, 2, 0xffff]) expect((await startSignIn({}, toAddress(host))).status).toBe(429);
  });
});

test('a sign-out that a client asks for counts by its session, which no neighbor uses up', async () => {
  const browser = app.newBrowser();
  await app.signIn(browser);
  await Promise.allSettled(
    Array.from({ length: LIMITS['oidc-authorize'].points }, () => consumeLimit('oidc-authorize', getSchool())),
  );
  const signOut = (cookie: string) =>
    fetch(toApp('/logout?client_id=moodle'), {
      redirect: 'manual',
      headers: { 'x-forwarded-for': getSchool(), cookie },
    });
  expect((await signOut('')).status).toBe(429);
  expect((await signOut(browser.cookieHeader)).status).not.toBe(429);
});
