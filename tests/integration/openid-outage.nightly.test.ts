// Threats: dependency-failure
import { mkdtempSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeGate } from '../../scripts/lib/gate.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { hasRedis, startRedis } from '../../scripts/lib/services.mjs';
import * as oidc from 'openid-client';
import { sql } from 'drizzle-orm';
import { env } from '@/lib/server/runtime/config/env';
import { readMetrics } from '@/lib/server/runtime/observability/metrics';
import { leaveSessionOfOther } from '@/lib/server/session/leave-sessions';
import { getRecords } from '@/lib/server/storage/records';
import { cookieTable } from '@/lib/shared/cookie-table';
import { CookieJar } from '../support/client';
import { hasPostgres, startFreezablePostgres } from '../support/databases';
import { Navigator } from '../support/navigator';
import {
  begin,
  CALLBACK,
  CLIENT_SECRET,
  complete,
  describeClient,
  discover,
  getIssuer,
  type Started,
  writeClients,
  writeKeys,
} from '../support/relying-party';
import { setProviderHost } from '../support/provider';
import { serveRoutes, type RunningRoutes } from '../support/routes';
import { SESSION } from '../support/session-app';
import { createTestUser, fetchIdToken } from '../support/test-users';

writeClients({ moodle: describeClient() });
writeKeys('first');

/** Builds a client's token request. */
const buildExchange = (answer: URL, { verifier }: Started) =>
  new URLSearchParams({
    grant_type: 'authorization_code',
    ...{ client_id: 'moodle', client_secret: CLIENT_SECRET, redirect_uri: CALLBACK },
    ...{ code: answer.searchParams.get('code') ?? '', code_verifier: verifier },
  });

/** Creates a browser with a session. */
async function signIn() {
  const user = await createTestUser();
  const browser = new CookieJar({ origin: env().NEXT_PUBLIC_APP_ORIGIN, 'sec-fetch-site': 'same-origin' });
  const token = await fetchIdToken(user);
  expect((await browser.post(`${app.origin}/api/create-user-session`, { token })).status).toBe(200);
  const navigator = new Navigator(app.origin);
  navigator.take(browser.cookies);
  return { user, browser, navigator };
}

let database: Awaited<ReturnType<typeof startFreezablePostgres>>;
let redis: Awaited<ReturnType<typeof startRedis>>;
let app: RunningRoutes;
/** The connection to the identity provider. */
let line: ReturnType<typeof makeGate>;
beforeAll(async () => {
  if (!hasPostgres) return;
  const [port = 0, gate = 0] = await freePorts(2);
  line = makeGate({ port: gate, target: Number(process.env.FIREBASE_AUTH_EMULATOR_HOST?.split(':')[1]) });
  await line.open();
  await setProviderHost(line.url);
  if (hasRedis()) redis = await startRedis({ port, dir: mkdtempSync(path.join(os.tmpdir(), 'redis-')) });
  if (hasRedis()) process.env.REDIS_URL = redis.url;
  database = await startFreezablePostgres();
  process.env.DATABASE_URL = (await database.create()).url;
  app = await serveRoutes();
  await getRecords();
});
afterAll(async () => {
  if (!hasPostgres) return;
  database.resume();
  await app.close();
  await (await getRecords()).close();
  await database.stop();
  await line.close();
});

test.skipIf(!hasPostgres)(
  'while the database is away, every answer says so, and none is a token or an error of ours',
  async () => {
    const { user, navigator } = await signIn();
    const config = await discover(app.origin, 'moodle');
    const started = await begin(config);
    const answer = await navigator.follow(started.address);

    database.freeze();
    const [page, stranger, exchange] = await Promise.all([
      navigator.open(started.address),
      new Navigator(app.origin).open(started.address),
      fetch(`${app.origin}/api/oidc/token`, { method: 'POST', body: buildExchange(answer, started) }),
    ]);
    expect([page.status, page.headers.has('retry-after'), page.headers.get('location')]).toEqual([503, true, null]);
    expect(await page.text()).toContain('Something isn');
    // The server cannot store this visitor's request, so the client gets an error.
    const failure = new URL(stranger.headers.get('location') ?? '').searchParams;
    expect([stranger.status, failure.get('error'), failure.get('code')]).toEqual([
      303,
      'temporarily_unavailable',
      null,
    ]);
    expect([exchange.status, exchange.headers.has('retry-after')]).toEqual([503, true]);
    expect(await exchange.json()).toMatchObject({ error: 'temporarily_unavailable' });

    database.resume();
    await expect.poll(async () => (await navigator.open(started.address)).status).toBe(303);
    expect((await complete(config, answer, started)).claims()?.sub).toBe(user.uid);
  },
);

test.skipIf(!hasPostgres)(
  'while the identity provider is away, clients are told to try again, and what they then send is good',
  async () => {
    const { user, navigator } = await signIn();
    const config = await discover(app.origin, 'moodle');
    const first = await begin(config);
    const { access_token: token } = await complete(config, await navigator.follow(first.address), first);
    const started = await begin(config);
    const answer = await navigator.follow(started.address);

    await line.close();
    const headers = { authorization: `Bearer ${token}` };
    const refused = await Promise.all([
      fetch(`${app.origin}/api/oidc/token`, { method: 'POST', body: buildExchange(answer, started) }),
      fetch(`${app.origin}/api/oidc/userinfo`, { headers }),
    ]);
    for (const each of refused) {
      expect([each.status, each.headers.has('retry-after')]).toEqual([503, true]);
      expect(await each.json()).toMatchObject({ error: 'temporarily_unavailable' });
    }
    const counted = /^http_requests_total\{route="\/api\/oidc\/token",result="provider-unavailable"\} 1$/m;
    expect((await readMetrics()).text).toMatch(counted);
    await line.open();
    expect((await complete(config, answer, started)).claims()?.sub).toBe(user.uid);
    expect((await oidc.fetchUserInfo(config, token, user.uid)).sub).toBe(user.uid);
  },
);

test.skipIf(!hasPostgres)('a logout that a client asks for needs neither of them', async () => {
  const { navigator } = await signIn();
  await line.close();
  database.freeze();
  const response = await navigator.open(`${getIssuer()}/logout?client_id=moodle`);
  expect([response.status, new URL(response.headers.get('location') ?? '').pathname]).toEqual([303, '/sign-out']);
  database.resume();
  await line.open();
});

/** Time within which a query fails if the database does not respond, in milliseconds. */
const TIMEOUT_MS = 9_000;

test.skipIf(!hasPostgres)(
  'a session that another account left behind while the database was away is told of once it is back',
  async () => {
    const { browser, navigator } = await signIn();
    const other = await createTestUser();
    const started = await begin(await discover(app.origin, 'moodle'));
    await navigator.follow(started.address);
    const device = { secret: browser.cookies[cookieTable.device.name] ?? null };

    database.freeze();
    await leaveSessionOfOther({ sessionCookie: browser.cookies[SESSION] ?? '', device }, other.uid);
    await sleep(TIMEOUT_MS);
    database.resume();
    const waiting = async () =>
      JSON.stringify(
        await (await getRecords()).transact((tx) => tx.execute(sql`select receiver from jobs where kind = 'logout'`)),
      );
    await expect.poll(waiting, { timeout: 60_000 }).toContain('moodle');
  },
);

test.skipIf(!hasPostgres || !hasRedis())(
  'while Redis is away, clients get tokens, and an ended session gives none',
  async () => {
    const { user, browser, navigator } = await signIn();
    const config = await discover(app.origin, 'moodle');
    await redis.stop();
    const started = await begin(config);
    const answer = await navigator.follow(started.address);
    const tokens = await complete(config, answer, started);
    expect(tokens.claims()?.sub).toBe(user.uid);

    expect((await browser.post(`${app.origin}/api/initiate-logout`, {})).status).toBeLessThan(300);
    // The navigator has the ended cookie.
    const { address } = await begin(config, { prompt: 'none' });
    const { searchParams } = await navigator.follow(address);
    expect([searchParams.get('error'), searchParams.get('code')]).toEqual(['login_required', null]);
    await expect(oidc.fetchUserInfo(config, tokens.access_token, user.uid)).rejects.toThrow();
  },
);
