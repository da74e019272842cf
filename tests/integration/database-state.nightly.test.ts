// Threats: dependency-failure, event-suppression
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBackgroundWork } from '@/lib/server/launch/background';
import { wakeOutbox } from '@/lib/server/notifications/outbox/outbox';
import { readMetrics } from '@/lib/server/runtime/observability/metrics';
import { getReadiness } from '@/lib/server/web/check-calls';
import { getRequestFacts, runWithRequest } from '@/lib/server/runtime/observability/request-context';
import { connectErrorSink } from '@/lib/shared/error-reporting/report';
import { hasPostgres, startFreezablePostgres } from '../support/databases';

describe.skipIf(!hasPostgres)('the state of PostgreSQL', () => {
  const reports: unknown[] = [];
  let databases: Awaited<ReturnType<typeof startFreezablePostgres>>;
  beforeAll(async () => {
    databases = await startFreezablePostgres();
    const choice = await databases.create();
    process.env.DATABASE_URL = choice.kind === 'postgres' ? choice.url : '';
    connectErrorSink(({ error, context }) =>
      reports.push({ code: (error as { code?: string }).code, ...context, ...getRequestFacts() }),
    );
    startBackgroundWork();
  });
  afterAll(async () => {
    databases.resume();
    const { getRecords } = await import('@/lib/server/storage/records');
    await (await getRecords()).close();
    await databases.stop();
  });

  async function alter(statement: string): Promise<void> {
    const { default: pg } = await import('pg');
    const admin = new pg.Client({ connectionString: process.env.DATABASE_URL });
    await admin.connect();
    await admin.query(statement);
    await admin.end();
  }

  /** Expects a state after waking the outbox, as a request does that has written a notice. */
  const expectState = (up: 0 | 1) =>
    expect
      .poll(
        async () => {
          runWithRequest({}, 'a-request-0001', wakeOutbox);
          const { text } = await readMetrics();
          return [/^dependency_up\{dependency="database"\} (\d)$/m.exec(text)?.[1], (await getReadiness()).database];
        },
        { timeout: 60_000, interval: 500 },
      )
      .toEqual([String(up), up === 1 ? 'up' : 'down']);

  test('a missing table is no usable database, is reported once, and without the request that came first', async () => {
    await expectState(1);
    await alter('alter table devices rename to devices_away');
    await expectState(0);
    await expectState(0);
    expect(reports).toEqual([{ code: '42P01', during: 'working on the outbox' }]);
    await alter('alter table devices_away rename to devices');
    await expectState(1);
  });

  test('a server that is away is the known outage, and no unexpected error', async () => {
    reports.length = 0;
    databases.freeze();
    await expectState(0);
    databases.resume();
    await expectState(1);
    expect(reports).toEqual([]);
  });
});
