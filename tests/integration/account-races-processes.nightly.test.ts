// Threats: unproved-rename, forged-disavowal, unnoticed-sign-in, split-state
// Two processes with one database and one Redis work on an account at the same moment.
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { sealDisavowalLink } from '@/lib/server/codes';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { openRecords } from '@/lib/server/storage/records';
import type { Records } from '@/lib/server/storage/records/engines';
import { jobs } from '@/lib/server/storage/records/schema';
import { listSessions } from '@/lib/server/storage/records/sessions';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { hasRedis, startRedis } from '../../scripts/lib/services.mjs';
import { callProvider } from '../support/accounts-client';
import { CookieJar, nextSecond } from '../support/client';
import { hasPostgres, startFreezablePostgres } from '../support/databases';
import { startRoutesProcess, type RoutesProcess } from '../support/served-routes';
import { createTestUser, fetchIdToken, idTokenByCustomToken, type TestUser } from '../support/test-users';

const provider = (method: string, body: object) =>
  callProvider({ emulatorHost: inject('emulatorHost') }, `accounts:${method}`, { returnSecureToken: true, ...body });
const PATIENTLY = { timeout: 60_000, interval: 500 };

describe.skipIf(!hasPostgres || !hasRedis())('two processes at one account', () => {
  let databases: Awaited<ReturnType<typeof startFreezablePostgres>>;
  let records: Records;
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let processes: RoutesProcess[] = [];
  beforeAll(async () => {
    databases = await startFreezablePostgres();
    const choice = await databases.create();
    records = await openRecords(choice);
    const [port = 0] = await freePorts(1);
    redis = await startRedis({ port, dir: mkdtempSync(path.join(os.tmpdir(), 'redis-')) });
    const variables = { DATABASE_URL: choice.kind === 'postgres' ? choice.url : '', REDIS_URL: redis.url };
    processes = await Promise.all([startRoutesProcess(variables), startRoutesProcess(variables)]);
  });
  afterAll(async () => {
    await Promise.all(processes.map((each) => each.stop()));
    await records.close();
    await Promise.all([databases.stop(), redis.stop()]);
  });

  const newBrowser = () => new CookieJar({ origin: 'http://localhost:3000', 'sec-fetch-site': 'same-origin' });
  let calls = 0;
  /** Sends each call to the process that did not get the previous call. */
  const call = (browser: CookieJar, name: string, body?: object) => {
    calls += 1;
    return browser.post(`${processes[calls % 2]?.origin ?? ''}/api/${name}`, body);
  };
  const open = (browser: CookieJar, token: string) => call(browser, 'create-user-session', { token });
  const checkAtBoth = async (browser: CookieJar) => [
    (await call(browser.copy(), 'check-auth-status')).status,
    (await call(browser.copy(), 'check-auth-status')).status,
  ];
  const list = ({ uid }: TestUser) => listSessions(records, { uid, now: new Date(), validSince: new Date(0) });
  const readNotices = ({ uid }: TestUser, kind: string) =>
    records.query((tx) =>
      tx
        .select({ key: jobs.key })
        .from(jobs)
        .where(and(eq(jobs.uid, uid), eq(jobs.kind, kind))),
    );

  test('a moved account is restored once, whatever asks for it, although another account has its email', async () => {
    const user = await createTestUser();
    const laptop = newBrowser();
    expect((await open(laptop, await fetchIdToken(user))).status).toBe(200);
    await nextSecond();
    const thief = `thief-${randomUUID().slice(0, 8)}@mallory.test`;
    expect((await provider('update', { idToken: await fetchIdToken(user), email: thief })).status).toBe(200);
    const moved = await fetchIdToken({ ...user, email: thief });
    const attacker = String((await provider('signUp', { email: user.email, password: 'mallory-pass-1' })).body.idToken);
    const browsers = Array.from({ length: 8 }, newBrowser);
    await Promise.all([
      ...browsers.map((browser, at) => open(browser, at % 4 < 2 ? moved : attacker)),
      ...[1, 2, 3, 4].map(() => call(laptop.copy(), 'check-auth-status')),
      ...[thief, thief, user.email, user.email].map((email) => call(newBrowser(), 'sign-in-help', { email })),
    ]);
    await expect.poll(async () => (await getIdentityAdmin().getUserByEmail(user.email)).uid, PATIENTLY).toBe(user.uid);
    const { emailVerified, providerData } = await getIdentityAdmin().getUser(user.uid);
    expect([emailVerified, providerData]).toEqual([true, []]);
    for (const browser of [...browsers, laptop]) expect(await checkAtBoth(browser)).toEqual([401, 401]);
    expect(await readNotices(user, 'email-restored')).toHaveLength(1);
  });

  test('a sign-in that is undone at both leaves no session of it, and is told once', async () => {
    const user = await createTestUser();
    const [laptop, intruder] = [newBrowser(), newBrowser()];
    for (const browser of [laptop, intruder]) {
      // A sign-in in the second of the account's last revocation may come before it. Its link then asks the mailbox.
      await nextSecond();
      expect((await open(browser, await fetchIdToken(user))).status).toBe(200);
    }
    const custom = String((await call(intruder, 'auto-sign-in')).body?.customToken);
    const own = (await list(user)).find(({ sids }) => sids.includes(intruder.cookies.kk_sid ?? ''));
    const session = own?.id ?? '';
    const code = await sealDisavowalLink({ uid: user.uid, session, at: new Date().toISOString(), to: user.email });
    await nextSecond();
    const token = await idTokenByCustomToken(custom);
    const copies = Array.from({ length: 6 }, () => intruder.copy());
    const openings = [1, 2, 3, 4].map(() => intruder.copy());
    const [undone] = await Promise.all([
      Promise.all([1, 2, 3, 4].map(() => call(newBrowser(), 'actions/disavow-sign-in', { code }))),
      ...copies.map((copy) => call(copy, 'renew-user-session')),
      ...openings.map((copy) => open(copy, token)),
    ]);
    expect(undone.map(({ status, body }) => [status, body?.email])).toContainEqual([200, user.email]);
    for (const browser of [laptop, intruder, ...copies, ...openings])
      expect(await checkAtBoth(browser)).toEqual([401, 401]);
    expect(await list(user)).toEqual([]);
    expect(await readNotices(user, 'sign-in-undone')).toHaveLength(1);
  });

  test('of two first browsers each is announced, and neither is asked about the other', async () => {
    const user = await createTestUser();
    const browsers = [newBrowser(), newBrowser(), newBrowser(), newBrowser()];
    const tokens = await Promise.all(browsers.map(() => fetchIdToken(user)));
    const opened = await Promise.all(browsers.map((browser, at) => open(browser, tokens[at] ?? '')));
    expect(opened.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await readNotices(user, 'new-sign-in')).toHaveLength(4);
    const ids = (await list(user)).map(({ id }) => id);
    expect(ids).toHaveLength(4);
    for (const browser of browsers)
      for (const session of ids) {
        const answer = await call(browser, 'account/check-sign-in', { session, isOwn: false });
        expect(answer.body?.code).toBe('not-found');
      }
  });
});
