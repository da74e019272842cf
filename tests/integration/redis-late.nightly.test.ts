// Threats: split-state
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { hasRedis, startRedis } from '../../scripts/lib/services.mjs';
import { getRequestFacts, runWithRequest } from '@/lib/server/runtime/observability/request-context';
import { consumeLimit } from '@/lib/server/storage/rate-limits';
import { LIMITS } from '@/lib/server/storage/rate-limits/table';
import { getStore } from '@/lib/server/storage/store';
import type { ApiProblem } from '@/lib/shared/problem';
import { connectErrorSink } from '@/lib/shared/error-reporting/report';
import { setProductionLimits } from '../support/time-limits';

const missing = !hasRedis();
if (missing) console.warn('Left out: a start before Redis, because there is no redis-server on the PATH.');

test.skipIf(missing)(
  'a process that starts before Redis works, enforces its limits, connects later, and gives up a connection that hangs',
  async () => {
    // At the end of this test, a connection hangs.
    setProductionLimits();
    const [port = 0] = await freePorts(1);
    process.env.REDIS_URL = `redis://127.0.0.1:${port}`;
    const reports: unknown[] = [];
    connectErrorSink(({ isOutage }) => reports.push({ isOutage, request: getRequestFacts() }));

    // This first request opens the connection. The outage must not be attributed to it.
    await runWithRequest({}, 'the-first-request', () => getStore().set('early', 'bird', 600));
    expect(await getStore().get('early')).toBe('bird');
    for (let i = 0; i < LIMITS['app-config'].points; i += 1) await consumeLimit('app-config', 'someone');
    await expect(consumeLimit('app-config', 'someone')).rejects.toMatchObject({ code: 'too-many-requests' });
    expect(reports).toEqual([{ isOutage: true, request: {} }]);

    const redis = await startRedis({ port, dir: mkdtempSync(path.join(os.tmpdir(), 'redis-')) });
    const direct = new Redis(redis.url);
    const write = async () => {
      await getStore().set('late', 'worm', 600);
      return direct.get('learner-identity:late');
    };
    await expect.poll(write).toBe('worm');
    expect([await getStore().get('early'), await direct.get('learner-identity:early')]).toEqual(['bird', null]);

    // A connection that hangs is slow at first, and then counts as away.
    await direct.call('CLIENT', 'PAUSE', 60_000, 'ALL');
    direct.disconnect();
    const countTry = () =>
      getStore()
        .countTry('code', 600)
        .catch(({ code }: ApiProblem) => code);
    expect(await countTry()).toBe('store-unavailable');
    await expect.poll(countTry, { timeout: 60_000 }).toEqual(expect.any(Number));
    await redis.stop();
  },
);
