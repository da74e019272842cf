// Threats: dependency-failure, split-state
// Redis that is connected, answers, and refuses what is written, seen from one process.
// cspell:ignore errorstat errorstats NOREPLICAS REPLICAOF
import { mkdtempSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { hasRedis, startRedis } from '../../scripts/lib/services.mjs';
import { readMetrics } from '@/lib/server/runtime';
import { getRedisState, getStore } from '@/lib/server/storage/store';
import { connectErrorSink } from '@/lib/shared/error-reporting/report';

const missing = !hasRedis();
if (missing) console.warn('Left out: tests with a Redis that refuses, because there is no redis-server on the PATH.');

const PREFIX = 'learner-identity:';
const reports: unknown[] = [];
const readDependency = async () => /^dependency_up\{dependency="redis"\} (\d)$/m.exec((await readMetrics()).text)?.[1];

describe.skipIf(missing)('a server that answers', () => {
  type Server = Awaited<ReturnType<typeof startRedis>> & { port: number; direct: Redis };
  let [first, second]: Server[] = [];
  /** Where new connections of the process lead, as a name does after a fail-over; those of before stay. */
  let target = 0;
  const line = net.createServer((inbound) => {
    const outbound = net.connect(target, '127.0.0.1');
    inbound.pipe(outbound).pipe(inbound);
    for (const socket of [inbound, outbound]) socket.on('error', () => socket.destroy());
    inbound.on('close', () => outbound.destroy());
  });
  beforeAll(async () => {
    const [gate = 0, ...ports] = await freePorts(3);
    [first, second] = await Promise.all(
      ports.map(async (port) => {
        const redis = await startRedis({ port, dir: mkdtempSync(path.join(os.tmpdir(), 'redis-')) });
        return { ...redis, port, direct: new Redis(redis.url) };
      }),
    );
    target = first?.port ?? 0;
    await new Promise<void>((ready) => line.listen(gate, () => ready()));
    process.env.REDIS_URL = `redis://127.0.0.1:${gate}`;
    connectErrorSink(({ error }) => reports.push(error));
    void getStore();
  });
  afterAll(async () => {
    line.close();
    for (const server of [first, second]) {
      server?.direct.disconnect();
      await server?.stop();
    }
  });

  test('and takes no writes is an outage, reported once, until it takes them; and gets no flood of them', async () => {
    await expect.poll(getRedisState).toBe('up');
    await getStore().set('before', '1', 600);
    // A connection that a busy machine made at the second try is an outage of its own.
    reports.length = 0;
    await first?.direct.config('SET', 'min-replicas-to-write', '1');
    for (let i = 0; i < 300; i += 1) await getStore().set(`mark-${i}`, '1', 600);
    const until = Date.now() + 1_500;
    while (Date.now() < until) await getStore().get('before');
    // Polled: on a busy machine one answer may be later than a sign-in waits for.
    await expect.poll(() => getStore().get('before')).toBe('1');
    const [, refused] = /errorstat_NOREPLICAS:count=(\d+)/.exec(String(await first?.direct.info('errorstats'))) ?? [];
    expect(Number(refused)).toBeLessThan(1_000);
    expect([reports.length, await readDependency(), await getRedisState()]).toEqual([1, '0', 'down']);

    await first?.direct.config('SET', 'min-replicas-to-write', '0');
    const write = async () => {
      await getStore().set('probe', '1', 600);
      return getRedisState();
    };
    await expect.poll(write).toBe('up');
    const countMarks = () => first?.direct.exists(...Array.from({ length: 300 }, (_, i) => `${PREFIX}mark-${i}`));
    await expect.poll(countMarks).toBe(300);
    await expect.poll(async () => (await write(), readDependency())).toBe('1');
    expect(reports).toHaveLength(1);
  });

  test('and has become a replica is left for its primary', async () => {
    target = second?.port ?? 0;
    await first?.direct.call('REPLICAOF', '127.0.0.1', String(target));
    const write = async () => {
      await getStore().set('after', '1', 600);
      return second?.direct.get(`${PREFIX}after`);
    };
    await expect.poll(write).toBe('1');
  });
});
