import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRecords } from '@/lib/server/storage/records';
import { exportEvents } from '@/lib/server/storage/records/events';
import { engines, hasPostgres, startDatabases } from '../support/databases';
import { startRecordsProcess } from '../support/start-records-process';

describe.each(engines)('processes on %s', (kind) => {
  let databases: Awaited<ReturnType<typeof startDatabases>>;
  beforeAll(async () => {
    databases = await startDatabases(kind);
  });
  afterAll(() => databases.stop());

  test('a killed process loses no acknowledged event, and the next one opens the same database', async () => {
    const choice = await databases.create();
    const writer = startRecordsProcess(choice, 'lena');
    await writer.waitFor('written 30');
    writer.kill();
    const { output } = await writer.exited;
    const acknowledged = output.match(/written/g)?.length ?? 0;
    const records = await openRecords(choice);
    const found = await exportEvents(records, 'lena');
    await records.close();
    expect(found.length).toBeGreaterThanOrEqual(acknowledged);
    expect(found.length).toBeLessThanOrEqual(acknowledged + 1);
  });
});

describe.skipIf(!hasPostgres)('PostgreSQL', () => {
  let databases: Awaited<ReturnType<typeof startDatabases>>;
  beforeAll(async () => {
    databases = await startDatabases('postgres');
  });
  afterAll(() => databases.stop());

  test('four processes that start together migrate once', async () => {
    const choice = await databases.create();
    const exits = await Promise.all([1, 2, 3, 4].map(() => startRecordsProcess(choice).exited));
    expect(exits).toEqual([1, 2, 3, 4].map(() => ({ code: 0, output: 'open\n' })));
  });

  test('a database that does not exist is an error with a code alone', async () => {
    const choice = await databases.create();
    if (choice.kind !== 'postgres') throw new Error();
    await expect(openRecords({ kind: 'postgres', url: `${choice.url}_other` })).rejects.toMatchObject({
      message: 'A query failed: 3D000',
      isAway: false,
    });
  });

  test('an unreachable server is away', async () => {
    await expect(openRecords({ kind: 'postgres', url: 'postgres://app@127.0.0.1:9/app' })).rejects.toMatchObject({
      code: 'ECONNREFUSED',
      isAway: true,
    });
  });
});
