// ASVS: 7.4.1
// Threats: stolen-session, split-state, dependency-failure, revoked-browser
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { hasRedis, startRedis } from '../../scripts/lib/services.mjs';
import { CookieJar, nextSecond } from '../support/client';
import { hasPostgres, startFreezablePostgres } from '../support/databases';
import { startRoutesProcess, type RoutesProcess } from '../support/served-routes';
import { createTestUser, fetchIdToken, type TestUser } from '../support/test-users';
import { openRecords } from '@/lib/server/storage/records';
import type { Records, RecordsChoice } from '@/lib/server/storage/records/engines';
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
      DATABASE_FOLDER: 'off',
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
  const readDatabaseState = async ({ origin }: RoutesProcess) =>
    ((await (await fetch(`${origin}/api/health/ready`)).json()) as { database: string }).database;
  const list = ({ uid }: TestUser) => listSessions(records, { uid, now: new Date(), validSince: new Date(0) });
  const signIn = async (process: RoutesProcess | undefined, browser: CookieJar, user: TestUser) =>
    (await call(process, browser, 'create-user-session', { token: await fetchIdToken(user) })).status;

  test('a session ended by one is ended for the other at once, and stays so when Redis has lost everything', async () => {
    const [here, there] = processes;
    const user = await createTestUser();
    const [laptop, phone] = [newBrowser(), newBrowser()];
    expect([await signIn(here, laptop, user), await signIn(there, phone, user)]).toEqual([200, 200]);
    // Both have it in their caches.
    expect([await check(here, phone), await check(there, phone)]).toEqual([200, 200]);
    expect((await call(here, laptop, 'account/end-sessions', { others: true })).status).toBe(200);
    expect([await check(there, phone), await check(here, phone)]).toEqual([401, 401]);
    await redis.stop();
    redis = await startEmptyRedis();
    // A process with an empty cache asks the records; the others do so within 20 s.
    const third = await startOne();
    await expect.poll(() => readDatabaseState(third)).toBe('up');
    expect([await check(third, phone), await check(third, laptop)]).toEqual([401, 200]);
    expect((await call(third, phone, 'renew-user-session')).status).toBe(401);
    await third.stop();
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

  test('while the database is away, a proof opens a session, a renewal says when to retry, and sessions go on', async () => {
    const [here] = processes;
    const user = await createTestUser();
    const [laptop, phone] = [newBrowser(), newBrowser()];
    await signIn(here, laptop, user);
    const token = await fetchIdToken(user);
    databases.freeze();
    const opened = await call(here, phone, 'create-user-session', { token });
    expect(opened.status).toBe(200);
    const renewed = await call(here, laptop, 'renew-user-session');
    expect([renewed.status, renewed.body?.code]).toEqual([503, 'records-unavailable']);
    expect(renewed.headers.get('retry-after')).toBe('5');
    expect([await check(here, laptop), await check(here, phone)]).toEqual([200, 200]);
    const ended = await call(here, laptop, 'account/end-sessions', { others: true });
    expect(ended.status).toBe(503);
    databases.resume();
    await expect
      .poll(async () => (await call(here, laptop, 'renew-user-session')).status, { timeout: 60_000 })
      .toBe(200);
    // Either the whole record of the sign-in, or none: then the next renewal with an ID token makes it.
    const before = (await list(user)).length;
    expect([1, 2]).toContain(before);
    const again = await call(here, phone, 'create-user-session', { token });
    expect(again.status).toBe(200);
    expect(await list(user)).toHaveLength(2);
    expect(await check(here, phone)).toBe(200);
  });
});
