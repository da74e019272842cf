// Threats: dependency-failure, split-state
// Redis is connected and responds, but refuses writes, as seen from one process.
// cspell:ignore REPLICAOF
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
  /** The port that new connections of the process reach, like a name after a failover. Existing connections stay. */
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

  test('and takes no writes is an outage, reported once, until it takes them', async () => {
    await expect.poll(getRedisState).toBe('up');
    await getStore().set('before', '1', 600);
    // If a busy machine needed a second try for a connection, that counted as a separate outage.
    reports.length = 0;
    await first?.direct.config('SET', 'min-replicas-to-write', '1');
    for (let i = 0; i < 300; i += 1) await getStore().set(`mark-${i}`, '1', 600);
    // Polled, because on a busy machine a response may come later than a sign-in waits.
    await expect.poll(() => getStore().get('before')).toBe('1');
    expect([reports.length, await readDependency(), await getRedisState()]).toEqual([1, '0', 'down']);

    await first?.direct.config('SET', 'min-replicas-to-write', '0');
    const write = async () => {
      await getStore().set('probe', '1', 600);
      return getRedisState();
    };
    await expect.poll(write).toBe('up');
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
