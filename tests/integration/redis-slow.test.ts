// Threats: dependency-failure, split-state
// Redis behind a line that delays its answers, or is cut, seen from one process.
// cspell:ignore commandstats cmdstat RESETSTAT
import { mkdtempSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { hasRedis, startRedis } from '../../scripts/lib/services.mjs';
import { getRedisConnection, getStore } from '@/lib/server/storage/store';
import { setProductionLimits } from '../support/time-limits';

const missing = !hasRedis();
if (missing) console.warn('Left out: tests with a slow Redis, because there is no redis-server on the PATH.');

const PREFIX = 'learner-identity:';
const MARKS = 3_000;
const line = { delay: 0, isCut: false, sockets: new Set<net.Socket>() };
let redis: Awaited<ReturnType<typeof startRedis>>;
let direct: Redis;

function startLine(port: number, target: number): Promise<net.Server> {
  const server = net.createServer((inbound) => {
    if (line.isCut) return void inbound.destroy();
    const outbound = net.connect(target, '127.0.0.1');
    for (const socket of [inbound, outbound]) {
      line.sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => line.sockets.delete(socket));
    }
    inbound.pipe(outbound);
    let last = Promise.resolve();
    outbound.on('data', (chunk) => {
      const due = Date.now() + line.delay;
      last = last.then(() => sleep(due - Date.now())).then(() => void inbound.write(chunk));
    });
    inbound.on('close', () => outbound.destroy());
  });
  return new Promise((resolve) => server.listen(port, () => resolve(server)));
}
function cut(isCut: boolean): void {
  line.isCut = isCut;
  if (isCut) for (const socket of line.sockets) socket.destroy();
}
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
/** What the process has sent to Redis. */
async function countCommands(): Promise<number> {
  const info = String(await direct.info('commandstats'));
  return [...info.matchAll(/cmdstat_(?:set|get|exists|del):calls=(\d+)/g)].reduce((sum, [, n]) => sum + Number(n), 0);
}

describe.skipIf(missing)('a line to Redis', () => {
  let server: net.Server;
  beforeAll(async () => {
    // The line delays answers for longer than a call waits.
    setProductionLimits();
    const [port = 0, gate = 0] = await freePorts(2);
    redis = await startRedis({ port, dir: mkdtempSync(path.join(os.tmpdir(), 'redis-')) });
    server = await startLine(gate, port);
    process.env.REDIS_URL = `redis://127.0.0.1:${gate}`;
    direct = new Redis(redis.url);
    await getStore().set('before', '1', 600);
    // On a busy machine the first connection takes longer than a call waits; what was set is sent later then.
    await vi.waitFor(
      async () => {
        await getStore().get('none');
        expect(await direct.get(`${PREFIX}before`)).toBe('1');
      },
      { timeout: 60_000 },
    );
  });
  afterAll(async () => {
    direct.disconnect();
    server.close();
    cut(true);
    await redis.stop();
  });

  test('that is slow after an outage gets no more commands than there are calls, however much waits; then all of it', async () => {
    cut(true);
    await expect.poll(() => getStore().hasAny(['none'])).toBeNull();
    const began = process.cpuUsage();
    for (let i = 0; i < MARKS; i += 1) await getStore().set(`mark-${i}`, '1', 600);
    // Each of them used to try all those before it again: this took a minute.
    expect(process.cpuUsage(began).user / 1_000_000).toBeLessThan(10);

    cut(false);
    const isConnected = async () => (await getRedisConnection())?.status === 'ready';
    await expect.poll(isConnected).toBe(true);
    line.delay = 600;
    await direct.config('RESETSTAT');
    for (let i = 0; i < 8; i += 1) expect(await getStore().hasAny([`mark-${i}`])).toBe(true);
    for (let i = 0; i < 8; i += 1) expect(await getStore().get('none')).toBeNull();
    expect(await countCommands()).toBeLessThanOrEqual(16);

    line.delay = 0;
    // On a busy machine many commands take longer than the process waits for one, and are tried again.
    await expect
      .poll(
        async () => {
          await getStore().get('none');
          return direct.exists(...Array.from({ length: MARKS }, (_, i) => `${PREFIX}mark-${i}`));
        },
        { timeout: 120_000 },
      )
      .toBe(MARKS);
  });

  test('that answers too late does not bring back a lock that was released meanwhile', async () => {
    line.delay = 400;
    expect(await getStore().setIfAbsent('lock', '1', 60)).toBe(true);
    const others = Array.from({ length: 10 }, async (_, i) => {
      await sleep(i * 60);
      await getStore().get('none');
    });
    await getStore().delete('lock');
    await Promise.all(others);
    await sleep(line.delay);
    expect(await direct.exists(`${PREFIX}lock`)).toBe(0);
  });
});
