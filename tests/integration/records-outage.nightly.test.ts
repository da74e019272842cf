// Threats: dependency-failure, event-suppression
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readMetrics } from '@/lib/server/runtime/observability/metrics';
import { openRecords } from '@/lib/server/storage/records';
import type { Records, RecordsChoice, Tx } from '@/lib/server/storage/records/engines';
import { exportEvents, insertEvent } from '@/lib/server/storage/records/events';
import { hasPostgres, startFreezablePostgres } from '../support/databases';

const getReason = (result: PromiseSettledResult<unknown>) =>
  result.status === 'rejected' ? (result.reason as { isAway?: boolean }).isAway : null;

describe.skipIf(!hasPostgres)('PostgreSQL that fails', () => {
  let databases: Awaited<ReturnType<typeof startFreezablePostgres>>;
  let choice: RecordsChoice;
  let records: Records;
  const uncaught: unknown[] = [];
  const keep = (error: unknown) => void uncaught.push(error);
  beforeAll(async () => {
    databases = await startFreezablePostgres();
    choice = await databases.create();
    records = await openRecords(choice);
    process.on('uncaughtExceptionMonitor', keep);
  });
  afterEach(() => expect(uncaught).toEqual([]));
  afterAll(async () => {
    process.off('uncaughtExceptionMonitor', keep);
    databases.resume();
    await records.close();
    await databases.stop();
  });

  /** Parallel events of different accounts, as many as the pool has connections. */
  const signIns = (name: string) =>
    Promise.allSettled(
      Array.from({ length: 10 }, (_, i) =>
        insertEvent(records, { uid: `${name}-${String(i)}`, kind: 'signed-in', at: new Date() }),
      ),
    );

  /** Expects that all connections work and that none is in use afterward. */
  async function expectWorkingPool(name: string): Promise<void> {
    expect((await signIns(name)).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 'fulfilled'));
    expect((await readMetrics()).text).toMatch(/^database_connections\{state="active"\} 0$/m);
    expect(await exportEvents(records, `${name}-9`)).toHaveLength(1);
  }

  test('a server that froze loses no connection of the pool', async () => {
    await expectWorkingPool('before');
    databases.freeze();
    // This takes longer than a query's timeout, with all connections in use.
    expect((await signIns('frozen')).map(getReason)).toEqual(Array.from({ length: 10 }, () => true));
    databases.resume();
    await expectWorkingPool('after');
  });

  test('a server that froze within transactions loses none, and answers within one time-out', async () => {
    let frozen = () => {};
    const isFrozen = new Promise<void>((resolve) => (frozen = resolve));
    const pending = Array.from({ length: 10 }, () =>
      records.transact(async (tx) => {
        await tx.execute(sql`select 1`);
        await isFrozen;
        await tx.execute(sql`select 1`);
      }),
    );
    await expect.poll(async () => (await readMetrics()).text).toMatch(/\{state="active"\} 10$/m);
    databases.freeze();
    frozen();
    const begin = performance.now();
    expect((await Promise.allSettled(pending)).map(getReason)).toEqual(Array.from({ length: 10 }, () => true));
    expect(performance.now() - begin).toBeLessThan(9_000);
    databases.resume();
    await expectWorkingPool('within');
  });

  test('terminated connections are replaced', async () => {
    await expectWorkingPool('open');
    const { default: pg } = await import('pg');
    const admin = new pg.Client({ connectionString: choice.kind === 'postgres' ? choice.url : '' });
    await admin.connect();
    for (let round = 0; round < 5; round++) {
      const ended = admin.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'learner-identity'",
      );
      await Promise.all([ended, signIns(`round-${String(round)}`)]);
    }
    await admin.end();
    await expect.poll(async () => (await signIns('replaced')).map(({ status }) => status)).not.toContain('rejected');
    await expectWorkingPool('terminated');
  });

  test('a transaction whose connection is lost between two queries fails', async () => {
    const { default: pg } = await import('pg');
    const admin = new pg.Client({ connectionString: choice.kind === 'postgres' ? choice.url : '' });
    await admin.connect();
    const lost = records.transact(async (tx) => {
      const [row] = await tx.select({ pid: sql<number>`pg_backend_pid()` }).from(sql`(select 1) as one`);
      // Returns when the connection's process has ended.
      await admin.query('select pg_terminate_backend($1, 5000)', [row?.pid]);
      await tx.execute(sql`select 1`);
    });
    await expect(lost).rejects.toMatchObject({ isAway: true });
    await admin.end();
    await expectWorkingPool('between');
  });

  test('of two transactions in a deadlock, the one that loses runs again', async () => {
    for (const uid of ['left', 'right']) await insertEvent(records, { uid, kind: 'signed-in', at: new Date() });
    let waiting = 0;
    let meet = () => {};
    const bothHoldOne = new Promise<void>((resolve) => (meet = resolve));
    let runs = 0;
    const lock = (tx: Tx, uid: string) => tx.execute(sql`select 1 from accounts where uid = ${uid} for update`);
    const cross = (first: string, second: string) =>
      records.transact(async (tx) => {
        runs += 1;
        await lock(tx, first);
        waiting += 1;
        if (waiting === 2) meet();
        await bothHoldOne;
        await lock(tx, second);
      });
    await Promise.all([cross('left', 'right'), cross('right', 'left')]);
    expect(runs).toBeGreaterThan(2);
    await expectWorkingPool('deadlock');
  });
});
