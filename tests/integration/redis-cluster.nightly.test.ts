// ASVS: 7.4.1
// Threats: stolen-session, split-state, dependency-failure
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { consumeLimit } from '@/lib/server/storage/rate-limits';
import { getStore } from '@/lib/server/storage/store';
import { hasRedis } from '../../scripts/lib/services.mjs';
import { CookieJar } from '../support/client';
import { hasPostgres, startFreezablePostgres } from '../support/databases';
import { startRedisCluster } from '../support/redis-cluster';
import { startRoutesProcess, type RoutesProcess } from '../support/served-routes';
import { createTestUser, fetchIdToken, type TestUser } from '../support/test-users';

const LEARNERS = 12;
/** This is longer than a failover, and longer than a process caches a session's state. */
const AFTER_MS = 30_000;
/** With this pause, sign-ins of a fast machine stay below the limits of an account and of a client network. */
const PAUSE_MS = 1_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(!hasPostgres || !hasRedis())('a Redis Cluster of three nodes', () => {
  let cluster: Awaited<ReturnType<typeof startRedisCluster>>;
  let databases: Awaited<ReturnType<typeof startFreezablePostgres>>;
  let processes: RoutesProcess[] = [];
  beforeAll(async () => {
    [cluster, databases] = await Promise.all([startRedisCluster(), startFreezablePostgres()]);
    process.env.REDIS_URL = cluster.url;
    const choice = await databases.create();
    const DATABASE_URL = choice.kind === 'postgres' ? choice.url : '';
    processes = await Promise.all([1, 2].map(() => startRoutesProcess({ DATABASE_URL, REDIS_URL: cluster.url })));
  });
  afterAll(async () => {
    await Promise.all(processes.map((each) => each.stop()));
    await Promise.all([databases.stop(), cluster.stop()]);
  });

  test('keeps state that several keys, and limits, need', async () => {
    const store = getStore();
    await store.set('ended-session:a', '1', 60);
    expect(await store.hasAny(['ended-session:x', 'ended-session:y', 'ended-session:a'])).toBe(true);
    // On a busy machine, a late response counts as an outage. For a while, it is then unknown.
    await expect.poll(() => store.hasAny(['ended-session:x', 'ended-session:y'])).toBe(false);
    expect([await store.countTry('n', 60), await store.countTry('n', 60)]).toEqual([1, 2]);
    await consumeLimit('resend', 'a flow');
    await expect(consumeLimit('resend', 'a flow')).rejects.toMatchObject({ code: 'too-many-requests' });
  });

  test('loses a node under load: no ended session comes back, and no other one is lost', async () => {
    const users = await Promise.all(Array.from({ length: LEARNERS }, () => createTestUser()));
    const wrong: string[] = [];
    const counts = { signedIn: 0, ended: 0, checked: 0, refused: 0 };
    let isOver = false;
    const at = (i: number) => processes[i % 2]?.origin ?? '';
    const call = (browser: CookieJar, i: number, name: string, body?: object) =>
      browser.post(`${at(i)}/api/${name}`, body);
    const begin = performance.now();
    const note = (text: string) => wrong.push(`${String(Math.round(performance.now() - begin))} ms: ${text}`);
    const ended: { browser: CookieJar; at: number }[] = [];

    /** Repeats a sign-in, a check by both processes, a sign-out and another check. */
    const learn = async (user: TestUser, turn: number) => {
      while (!isOver) {
        const browser = new CookieJar({ origin: 'http://localhost:3000', 'sec-fetch-site': 'same-origin' });
        const opened = await call(browser, turn, 'create-user-session', { token: await fetchIdToken(user) });
        if (opened.status !== 200) note(`a sign-in was answered with ${String(opened.status)}`);
        counts.signedIn += 1;
        const before = browser.copy();
        for (let i = 0; i < 6; i += 1) {
          const { status } = await call(browser, i, 'check-auth-status');
          if (status !== 200) note(`a live session was answered with ${String(status)}`);
          counts.checked += 1;
        }
        const left = await call(browser, turn, 'initiate-logout');
        if (left.status !== 200) note(`a sign-out was answered with ${String(left.status)}`);
        ended.push({ browser: before, at: performance.now() });
        counts.ended += 1;
        await pause(PAUSE_MS);
      }
    };
    /** A thief has the cookies of ended sessions. */
    const steal = async () => {
      for (let i = 0; !isOver; i += 1) {
        const one = ended[Math.floor(Math.random() * ended.length)];
        if (!one) await pause(50);
        else {
          const { status } = await call(one.browser.copy(), i, 'check-auth-status');
          if (status !== 401)
            note(`a session that ended ${String(Math.round(performance.now() - one.at))} ms ago: ${String(status)}`);
          counts.refused += 1;
        }
      }
    };
    // This session stays open all the time.
    const stays = new CookieJar({ origin: 'http://localhost:3000', 'sec-fetch-site': 'same-origin' });
    const [first, ...others] = users;
    if (first) await call(stays, 0, 'create-user-session', { token: await fetchIdToken(first) });
    const work = [...others.map(learn), steal(), steal()];
    await pause(5_000);
    cluster.kill(1);
    await pause(AFTER_MS);
    isOver = true;
    await Promise.all(work);
    expect([
      (await call(stays, 0, 'check-auth-status')).status,
      (await call(stays, 1, 'check-auth-status')).status,
    ]).toEqual([200, 200]);
    for (const { browser } of ended.slice(-200))
      for (const i of [0, 1])
        if ((await call(browser.copy(), i, 'check-auth-status')).status !== 401)
          note('an ended session is back at the end');
    console.log('Redis Cluster, one node killed:', counts);
    expect(counts.ended).toBeGreaterThan(20);
    expect(wrong).toEqual([]);
  });
});
