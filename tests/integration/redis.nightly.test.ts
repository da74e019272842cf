// Threats: stolen-session, code-guessing, dependency-failure, split-state
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { hasRedis, startRedis } from '../../scripts/lib/services.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { MAX_CODE_TRIES } from '@/lib/server/codes/one-time-codes';
import { consumeLimit } from '@/lib/server/storage/rate-limits';
import { LIMITS } from '@/lib/server/storage/rate-limits/table';
import { getRedisState, getStore } from '@/lib/server/storage/store';
import { connectErrorSink } from '@/lib/shared/error-reporting/report';
import { CookieJar, openSession, post } from '../support/client';
import { codeIn, mailsTo, wrongCode } from '../support/mail';
import { fetchIdToken, createTestUser } from '../support/test-users';
import { serveRoutes, type RunningRoutes } from '../support/routes';
import { startRoutesProcess, type RoutesProcess } from '../support/served-routes';

const missing = !hasRedis();
if (missing) console.warn('Left out: tests with Redis, because there is no redis-server on the PATH.');

const reports: unknown[] = [];
let here: RunningRoutes;
let there: RoutesProcess;
let startServer: () => ReturnType<typeof startRedis>;
let redis: Awaited<ReturnType<typeof startRedis>>;

describe.skipIf(missing)('with Redis', () => {
  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    startServer = () => startRedis({ port, dir: mkdtempSync(path.join(os.tmpdir(), 'redis-')) });
    redis = await startServer();
    process.env.REDIS_URL = redis.url;
    connectErrorSink(({ error }) => reports.push(error));
    there = await startRoutesProcess({ REDIS_URL: redis.url });
    here = await serveRoutes();
  });
  afterAll(async () => {
    await here.close();
    await there.stop();
    await redis.stop();
  });

  const check = (origin: string, cookie: string) => post(`${origin}/api/check-auth-status`, { cookie });
  const session = async () => openSession(here.origin, await fetchIdToken(await createTestUser()));

  test('a session ended by one process is ended for all, despite their caches', async () => {
    const cookie = await session();
    expect((await check(there.origin, cookie)).status).toBe(200);
    await post(`${here.origin}/api/initiate-logout`, { cookie });
    expect((await check(there.origin, cookie)).status).toBe(401);
  });

  test('the store satisfies its contract', async () => {
    const store = getStore();
    expect(await store.get('a')).toBeNull();
    expect(await store.setIfAbsent('a', 'first', 60)).toBe(true);
    expect(await store.setIfAbsent('a', 'second', 60)).toBe(false);
    expect(await store.get('a')).toBe('first');
    await store.set('a', 'third', 60);
    await store.delete('a');
    expect(await store.get('a')).toBeNull();
    expect([await store.countTry('n', 60), await store.countTry('n', 60)]).toEqual([1, 2]);
    await store.set('short', 'x', 1);
    await expect.poll(() => store.get('short')).toBeNull();
  });

  test('attempts and single use of a code are shared by all processes', async () => {
    const user = await createTestUser();
    const jar = new CookieJar();
    await jar.post(`${here.origin}/api/password-reset`, { email: user.email });
    const [mail] = await mailsTo({ mailboxUrl: inject('mailboxUrl') }, user.email);
    const code = codeIn(mail ?? { text: '' });
    const reset = (origin: string, typed: string, by = jar) =>
      by.post(`${origin}/api/password-reset/confirm`, { code: typed, password: 'quiet-lantern-42' });
    for (const [origin, triesLeft] of [
      [here.origin, 4],
      [there.origin, 3],
      [here.origin, 2],
    ] as const)
      expect((await reset(origin, wrongCode(code))).body).toMatchObject({ code: 'code-wrong', triesLeft });
    const copy = new CookieJar();
    Object.assign(copy.cookies, jar.cookies);
    expect((await reset(there.origin, code)).status).toBe(200);
    expect((await reset(here.origin, code, copy)).body).toMatchObject({ code: 'code-used' });
  });

  describe('guesses of a code, in both processes at once', () => {
    const startGuessing = async () => {
      const user = await createTestUser();
      const jar = new CookieJar();
      await jar.post(`${here.origin}/api/password-reset`, { email: user.email });
      const [mail] = await mailsTo({ mailboxUrl: inject('mailboxUrl') }, user.email);
      const code = codeIn(mail ?? { text: '' });
      return async (count: number) => {
        const answers = await Promise.all(
          Array.from({ length: count }, (_, i) =>
            jar.post(`${(i % 2 ? here : there).origin}/api/password-reset/confirm`, {
              code: wrongCode(code),
              password: 'quiet-lantern-42',
            }),
          ),
        );
        return answers.map(({ body, headers }) => ({ code: body?.code, retryAfter: headers.get('retry-after') }));
      };
    };
    const countCompared = (answers: { code: unknown }[]) => answers.filter(({ code }) => code === 'code-wrong').length;

    test('are never more than five while Redis is slow, and are refused while it does not answer', async () => {
      const direct = new Redis(redis.url);
      for (const isAnswering of [true, false]) {
        const guess = await startGuessing();
        if (isAnswering) await direct.call('CLIENT', 'PAUSE', 400, 'ALL');
        else process.kill(redis.pid, 'SIGSTOP');
        const during = await guess(16);
        if (!isAnswering) process.kill(redis.pid, 'SIGCONT');
        const after = [...(await guess(8)), ...(await guess(8))];
        expect(countCompared([...during, ...after])).toBeLessThanOrEqual(MAX_CODE_TRIES);
        if (isAnswering) expect(countCompared(during)).toBe(MAX_CODE_TRIES);
        else
          expect(new Set(during.map((each) => JSON.stringify(each)))).toEqual(
            new Set([JSON.stringify({ code: 'store-unavailable', retryAfter: '2' })]),
          );
      }
      direct.disconnect();
    });

    test('are five for each process when it goes away, however often', async () => {
      const guess = await startGuessing();
      let compared = countCompared(await guess(2));
      for (let i = 0; i < 2; i += 1) {
        await redis.stop();
        const away = countCompared(await guess(16));
        expect(away).toBe(i === 0 ? 2 * MAX_CODE_TRIES - compared : 0);
        compared += away;
        redis = await startServer();
        await expect.poll(() => isUp()).toBe(true);
        compared += countCompared(await guess(16));
      }
      expect(compared).toBe(2 * MAX_CODE_TRIES);
    });
    const isUp = async () => {
      const states = await Promise.all(
        [here, there].map(async ({ origin }) => (await fetch(`${origin}/api/health/ready`)).json() as Promise<object>),
      );
      return states.every((state) => 'redis' in state && state.redis === 'up');
    };
  });

  test('counts are shared by all processes', async () => {
    for (let i = 0; i < LIMITS['create-session'].points; i += 1) {
      await consumeLimit('create-session', '127.0.0.1').catch(() => undefined);
    }
    const answer = await post(`${there.origin}/api/create-user-session`, { body: { token: 'x' } });
    expect(answer.status).toBe(429);
    await redis.stop();
    redis = await startServer();
  });

  test('an outage does not stop sign-in, is reported once, and a sign-out of that time stays', async () => {
    const [stays, leaves] = [await session(), await session()];
    reports.length = 0;
    await redis.stop();
    expect((await check(here.origin, stays)).status).toBe(200);
    expect((await check(here.origin, await session())).status).toBe(200);
    expect((await post(`${here.origin}/api/initiate-logout`, { cookie: leaves })).status).toBe(200);
    expect((await check(here.origin, leaves)).status).toBe(401);
    expect(await getStore().countTry('tries', 60)).toBe(1);
    expect(await getStore().countTry('tries', 60)).toBe(2);
    expect(reports).toHaveLength(1);

    redis = await startServer();
    await expect.poll(getRedisState).toBe('up');
    expect(await getStore().countTry('tries', 60)).toBe(3);
    expect((await check(here.origin, leaves)).status).toBe(401);
    expect((await check(here.origin, stays)).status).toBe(200);
    expect(reports).toHaveLength(1);
  });
});
