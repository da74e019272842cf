// ASVS: 7.4.1
// Threats: stolen-session, split-state, dependency-failure, revoked-browser
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eq } from 'drizzle-orm';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { hasRedis, startRedis } from '../../scripts/lib/services.mjs';
import { CookieJar, nextSecond } from '../support/client';
import { hasPostgres, startFreezablePostgres } from '../support/databases';
import { codeIn, mailsTo } from '../support/mail';
import { oobCodeIn } from '../support/recovery';
import { startRoutesProcess, type RoutesProcess } from '../support/served-routes';
import { createTestUser, fetchIdToken, type TestUser } from '../support/test-users';
import { openRecords } from '@/lib/server/storage/records';
import type { Records, RecordsChoice } from '@/lib/server/storage/records/engines';
import { sessions } from '@/lib/server/storage/records/schema';
import { listSessions } from '@/lib/server/storage/records/sessions';

describe.skipIf(!hasPostgres || !hasRedis())('two processes with one database and one Redis', () => {
  let databases: Awaited<ReturnType<typeof startFreezablePostgres>>;
  let choice: RecordsChoice;
  let records: Records;
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let port: number;
  let processes: RoutesProcess[] = [];
  const startOne = () =>
    startRoutesProcess({
      DATABASE_URL: choice.kind === 'postgres' ? choice.url : '',
      REDIS_URL: redis.url,
    });
  const startEmptyRedis = () => startRedis({ port, dir: mkdtempSync(path.join(os.tmpdir(), 'redis-')) });
  beforeAll(async () => {
    databases = await startFreezablePostgres();
    choice = await databases.create();
    records = await openRecords(choice);
    [port = 0] = await freePorts(1);
    redis = await startEmptyRedis();
    processes = await Promise.all([startOne(), startOne()]);
  });
  afterAll(async () => {
    databases.resume();
    await Promise.all(processes.map((each) => each.stop()));
    await records.close();
    await Promise.all([databases.stop(), redis.stop()]);
  });

  const newBrowser = () => new CookieJar({ origin: 'http://localhost:3000', 'sec-fetch-site': 'same-origin' });
  const call = (process: RoutesProcess | undefined, browser: CookieJar, name: string, body?: object) =>
    browser.post(`${process?.origin ?? ''}/api/${name}`, body);
  const check = async (process: RoutesProcess | undefined, browser: CookieJar) =>
    (await call(process, browser, 'check-auth-status')).status;
  const readState = async ({ origin }: RoutesProcess, service: 'database' | 'redis') =>
    ((await (await fetch(`${origin}/api/health/ready`)).json()) as Record<string, string>)[service];
  const list = ({ uid }: TestUser) => listSessions(records, { uid, now: new Date(), validSince: new Date(0) });
  const signIn = async (process: RoutesProcess | undefined, browser: CookieJar, user: TestUser) =>
    (await call(process, browser, 'create-user-session', { token: await fetchIdToken(user) })).status;

  test('a session ended by one is ended for the other at once, and stays so when Redis has lost everything', async () => {
    const [here, there] = processes;
    const user = await createTestUser();
    const [laptop, phone] = [newBrowser(), newBrowser()];
    expect([await signIn(here, laptop, user), await signIn(there, phone, user)]).toEqual([200, 200]);
    // Both processes now have it in their caches.
    expect([await check(here, phone), await check(there, phone)]).toEqual([200, 200]);
    expect((await call(here, laptop, 'account/end-sessions', { others: true })).status).toBe(200);
    expect([await check(there, phone), await check(here, phone)]).toEqual([401, 401]);
    await redis.stop();
    redis = await startEmptyRedis();
    // A process with an empty cache reads the records. The others do so within 20 s.
    const third = await startOne();
    await expect.poll(() => readState(third, 'database')).toBe('up');
    expect([await check(third, phone), await check(third, laptop)]).toEqual([401, 200]);
    expect((await call(third, phone, 'renew-user-session')).status).toBe(401);
    await third.stop();
  });

  test('a session whose record a failover has lost can be ended, and stays so when Redis has lost everything', async () => {
    const [here] = processes;
    const user = await createTestUser();
    const laptop = newBrowser();
    expect(await signIn(here, laptop, user)).toBe(200);
    await records.transact((tx) => tx.delete(sessions).where(eq(sessions.uid, user.uid)));
    const copied = laptop.copy();
    expect([await check(here, copied), (await call(here, copied, 'renew-user-session')).status]).toEqual([200, 401]);
    expect((await call(here, laptop, 'initiate-logout')).status).toBe(200);
    await redis.stop();
    redis = await startEmptyRedis();
    const third = await startOne();
    await expect.poll(() => readState(third, 'database')).toBe('up');
    expect(await check(third, copied)).toBe(401);
    await third.stop();
  });

  /** Kinds of Redis outages, each with its beginning and end. */
  const outages = {
    stopped: {
      begin: () => redis.stop(),
      end: async () => {
        redis = await startEmptyRedis();
      },
    },
    paused: {
      begin: () => process.kill(redis.pid, 'SIGSTOP'),
      end: () => process.kill(redis.pid, 'SIGCONT'),
    },
    // Redis still responds to reads, so the other process may not notice.
    'read-only': {
      begin: () => refuseWrites(true),
      end: () => refuseWrites(false),
    },
  };
  const refuseWrites = async (isRefusing: boolean) => {
    const direct = new Redis(redis.url);
    await direct.config('SET', 'min-replicas-to-write', isRefusing ? '1' : '0');
    direct.disconnect();
  };
  test.each(Object.entries(outages))(
    'while Redis is %s, sessions go on, and one that was ended is over in both, also when Redis is back',
    async (mode, { begin, end }) => {
      const [here, there] = processes;
      const user = await createTestUser();
      const [laptop, phone, later] = [newBrowser(), newBrowser(), newBrowser()];
      for (const browser of [laptop, phone]) expect(await signIn(here, browser, user)).toBe(200);
      // The other process has it in its cache.
      expect([await check(there, phone), await check(there, laptop)]).toEqual([200, 200]);
      await begin();
      const stolen = phone.copy();
      expect([await check(here, laptop), await check(there, laptop)]).toEqual([200, 200]);
      expect([await signIn(there, later, user), await check(here, later)]).toEqual([200, 200]);
      expect((await call(here, phone, 'initiate-logout')).status).toBe(200);
      const over = async () => [await check(here, stolen.copy()), await check(there, stolen.copy())];
      if (mode === 'read-only') await expect.poll(over, { timeout: 60_000 }).toEqual([401, 401]);
      else expect(await over()).toEqual([401, 401]);
      await end();
      // If Redis lacks replicas, it counts as up again with a write, 5 s after the last refusal.
      const isUp = async () => {
        if (mode === 'read-only') await Promise.all(processes.map((each) => signIn(each, newBrowser(), user)));
        return Promise.all(processes.map((each) => readState(each, 'redis')));
      };
      const interval = mode === 'read-only' ? 6_000 : 1_000;
      await expect.poll(isUp, { timeout: 60_000, interval }).toEqual(['up', 'up']);
      expect(await over()).toEqual([401, 401]);
      expect([await check(here, laptop), await check(there, later)]).toEqual([200, 200]);
    },
  );

  test('a code and a link that were used while Redis was away work nowhere a second time, also when it is back', async () => {
    const [here, there] = processes;
    const [user, other] = [await createTestUser(), await createTestUser()];
    const password = 'quiet-lantern-42';
    const [byCode, byLink] = [newBrowser(), newBrowser()];
    await call(here, byCode, 'password-reset', { email: user.email });
    await call(here, byLink, 'password-reset', { email: other.email });
    const mailbox = { mailboxUrl: inject('mailboxUrl') };
    const code = codeIn((await mailsTo(mailbox, user.email))[0] ?? { text: '' });
    const oobCode = oobCodeIn((await mailsTo(mailbox, other.email))[0] ?? { text: '' });
    const copy = byCode.copy();
    const useCode = async (process: RoutesProcess | undefined, by: CookieJar) =>
      (await call(process, by, 'password-reset/confirm', { code, password })).body?.code;
    const useLink = async (process: RoutesProcess | undefined) =>
      (await call(process, newBrowser(), 'actions/reset-password', { oobCode, password })).status;
    await redis.stop();
    expect([await useCode(here, byCode), await useLink(here)]).toEqual([undefined, 200]);
    expect([await useCode(there, copy.copy()), await useLink(there)]).toEqual(['code-used', 410]);
    redis = await startEmptyRedis();
    await expect
      .poll(() => Promise.all(processes.map((each) => readState(each, 'redis'))), { timeout: 60_000 })
      .toEqual(['up', 'up']);
    expect([await useCode(there, copy.copy()), await useLink(there)]).toEqual(['code-used', 410]);
  });

  test('a code that the database has used up too late for its call can be used again', async () => {
    const [here] = processes;
    const user = await createTestUser();
    const browser = newBrowser();
    await call(here, browser, 'password-reset', { email: user.email });
    const code = codeIn((await mailsTo({ mailboxUrl: inject('mailboxUrl') }, user.email))[0] ?? { text: '' });
    const confirm = () => call(here, browser, 'password-reset/confirm', { code, password: 'quiet-lantern-42' });
    databases.freeze();
    expect((await confirm()).body?.code).toBe('records-unavailable');
    databases.resume();
    // The code has four more tries, which are counted.
    const outcome = async () => (await confirm()).status;
    await expect.poll(outcome, { timeout: 60_000, interval: 7_000 }).toBe(200);
    expect((await confirm()).body?.code).toBe('code-used');
  });

  test('renewals in two processes at once both make a session that is valid', async () => {
    const [here, there] = processes;
    const user = await createTestUser();
    const laptop = newBrowser();
    await signIn(here, laptop, user);
    await nextSecond();
    const tabs = Array.from({ length: 4 }, () => laptop.copy());
    const answers = await Promise.all(tabs.map((tab, i) => call(i % 2 ? here : there, tab, 'renew-user-session')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const tab of tabs) expect([await check(here, tab), await check(there, tab)]).toEqual([200, 200]);
    expect(await list(user)).toHaveLength(1);
  });

  test('while the database is away, no sign-in opens a session, a renewal says when to retry, and sessions go on', async () => {
    const [here] = processes;
    const user = await createTestUser();
    const [laptop, phone] = [newBrowser(), newBrowser()];
    await signIn(here, laptop, user);
    const token = await fetchIdToken(user);
    databases.freeze();
    const opened = await call(here, phone, 'create-user-session', { token });
    expect([opened.status, opened.body?.code]).toEqual([503, 'records-unavailable']);
    const renewed = await call(here, laptop, 'renew-user-session');
    expect([renewed.status, renewed.body?.code]).toEqual([503, 'records-unavailable']);
    expect(renewed.headers.get('retry-after')).toBe('5');
    expect([await check(here, laptop), phone.cookies.kk_sid]).toEqual([200, undefined]);
    const ended = await call(here, laptop, 'account/end-sessions', { others: true });
    expect(ended.status).toBe(503);
    databases.resume();
    await expect
      .poll(async () => (await call(here, laptop, 'renew-user-session')).status, { timeout: 60_000 })
      .toBe(200);
    expect(await list(user)).toHaveLength(1);
    const again = await call(here, phone, 'create-user-session', { token });
    expect(again.status).toBe(200);
    expect(await list(user)).toHaveLength(2);
    expect(await check(here, phone)).toBe(200);
  });
});
