import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import pg, { type Client } from 'pg';
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

/** Applies the migrations before this one, as an older version has. */
async function migrateUntil(client: Client, tag: string): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'migrations-'));
  cpSync('migrations', folder, { recursive: true });
  const file = path.join(folder, 'meta/_journal.json');
  const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: { tag: string }[] };
  const index = journal.entries.findIndex((entry) => entry.tag === tag);
  writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, index) }));
  await migrate(drizzle(client), { migrationsFolder: folder });
}

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

  test('a migration lets queries pass while a dump holds its table, and is applied when that has ended', async () => {
    const choice = await databases.create();
    if (choice.kind !== 'postgres') throw new Error();
    const connect = async () => {
      const client = new pg.Client({ connectionString: choice.url });
      await client.connect();
      return client;
    };
    const [dump, visitor] = [await connect(), await connect()];
    await migrateUntil(dump, '0014_webhook_receivers');
    await dump.query('begin');
    await dump.query('lock table accounts in access share mode');
    const opening = openRecords(choice);
    const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await expect.poll(async () => (await visitor.query(waiting)).rowCount).toBe(1);
    // As queries of running processes have it.
    await visitor.query("set statement_timeout = '5s'");
    await visitor.query('select 1 from accounts');
    await dump.query('commit');
    await (await opening).close();
    expect((await visitor.query('select disabled_told_at from accounts')).rowCount).toBe(0);
    await Promise.all([dump.end(), visitor.end()]);
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
