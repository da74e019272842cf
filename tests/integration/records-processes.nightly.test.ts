// cspell:ignore indisvalid indexrelid regclass schemaname tablename
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg, { type Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRecords } from '@/lib/server/storage/records';
import { migrateRecords } from '@/lib/server/storage/records/engines';
import { readMigrations } from '@/lib/server/storage/records/migrations';
import { exportEvents } from '@/lib/server/storage/records/events';
import { timeLimit } from '@/lib/shared/time-limit';
import { engines, hasPostgres, startDatabases, startEmptyDatabases } from '../support/databases';
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

/** A folder with the migrations before one, as an older build has, or with one more. */
function copyMigrations(change: (entries: { tag: string }[], folder: string) => { tag: string }[]): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'migrations-'));
  cpSync('migrations', folder, { recursive: true });
  const file = path.join(folder, 'meta/_journal.json');
  const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: { tag: string }[] };
  writeFileSync(file, JSON.stringify({ ...journal, entries: change(journal.entries, folder) }));
  return folder;
}

const before = (tag: string) =>
  copyMigrations((entries) =>
    entries.slice(
      0,
      entries.findIndex((e) => e.tag === tag),
    ),
  );

/** One that builds an index while the table is in use, as drizzle-kit generates it. */
const withIndex = () =>
  copyMigrations((entries, folder) => {
    const tag = '9999_index';
    writeFileSync(
      path.join(folder, `${tag}.sql`),
      'CREATE INDEX CONCURRENTLY "accounts_seen_again" ON "accounts" USING btree ("seen_at");',
    );
    return [...entries, { ...entries.at(-1), when: Date.now() + 1e12, tag } as { tag: string }];
  });

describe.skipIf(!hasPostgres)('PostgreSQL', () => {
  const databases = startEmptyDatabases();
  const clients: Client[] = [];
  const connect = async (url: string) => {
    const client = new pg.Client({ connectionString: url });
    clients.push(client);
    await client.connect();
    return client;
  };
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await databases.stop();
  });
  const WAITING = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

  test('a process that starts before the migrations are applied says which is missing, and changes nothing', async () => {
    const choice = await databases.create();
    const { code, output } = await startRecordsProcess(choice).exited;
    expect([code, output]).toEqual([1, 'A query failed: NOT_MIGRATED, 0000_events\n']);
    const client = await connect(choice.url);
    expect((await client.query("select 1 from pg_tables where schemaname = 'public'")).rowCount).toBe(0);
    await migrateRecords(choice, before('0014_webhook_receivers'));
    const later = await startRecordsProcess(choice).exited;
    expect(later.output).toBe('A query failed: NOT_MIGRATED, 0014_webhook_receivers\n');
  });

  test('runs that start together apply each migration once', async () => {
    const choice = await databases.create();
    const all = readMigrations().map(({ name }) => name);
    const applied = await Promise.all([1, 2, 3, 4].map(() => migrateRecords(choice)));
    expect(applied.flat()).toEqual(all);
    expect((await startRecordsProcess(choice).exited).output).toBe('open\n');
  });

  test('a migration that fails has changed nothing, and those before it stay', async () => {
    const choice = await databases.create();
    const folder = copyMigrations((entries, at) => {
      writeFileSync(
        path.join(at, '0014_webhook_receivers.sql'),
        'create table half ();--> statement-breakpoint\nselect 1/0;',
      );
      return entries;
    });
    await expect(migrateRecords(choice, folder)).rejects.toMatchObject({ code: '22012' });
    const client = await connect(choice.url);
    expect((await client.query("select 1 from pg_tables where tablename = 'half'")).rowCount).toBe(0);
    expect((await migrateRecords(choice))[0]).toBe('0014_webhook_receivers');
  });

  test('a migration lets queries pass while a dump holds its table, and is applied when that has ended', async () => {
    const choice = await databases.create();
    const [dump, visitor] = [await connect(choice.url), await connect(choice.url)];
    await migrateRecords(choice, before('0014_webhook_receivers'));
    await dump.query('begin');
    await dump.query('lock table accounts in access share mode');
    const migrating = migrateRecords(choice);
    await expect.poll(async () => (await visitor.query(WAITING)).rowCount).toBe(1);
    // As queries of running processes have it.
    await visitor.query(`set statement_timeout = ${String(timeLimit(5_000))}`);
    await visitor.query('select 1 from accounts');
    await dump.query('commit');
    await migrating;
    expect((await visitor.query('select disabled_told_at from accounts')).rowCount).toBe(0);
  });

  test('an index of a large table is built while others write, and built again after an interruption', async () => {
    const choice = await databases.create();
    await migrateRecords(choice);
    const [writer, visitor] = [await connect(choice.url), await connect(choice.url)];
    // A build waits for transactions that began before it, and ends in between: PostgreSQL keeps an index that is not valid.
    await writer.query('begin');
    await writer.query("insert into accounts (uid, seen_at) values ('before', now())");
    const interrupted = migrateRecords(choice, withIndex());
    interrupted.catch(() => undefined);
    await expect.poll(async () => (await visitor.query(WAITING)).rowCount).toBe(1);
    await visitor.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    await expect(interrupted).rejects.toMatchObject({ name: 'RecordsError' });
    const isValid = `select indisvalid from pg_index where indexrelid = 'accounts_seen_again'::regclass`;
    expect((await visitor.query(isValid)).rows).toEqual([{ indisvalid: false }]);
    await writer.query('commit');

    await writer.query('begin');
    await writer.query("insert into accounts (uid, seen_at) values ('during', now())");
    const migrating = migrateRecords(choice, withIndex());
    await expect.poll(async () => (await visitor.query(WAITING)).rowCount).toBe(1);
    await visitor.query("set lock_timeout = '1ms'");
    await visitor.query("insert into accounts (uid, seen_at) values ('visitor', now())");
    await writer.query('commit');
    expect(await migrating).toEqual(['9999_index']);
    expect((await visitor.query(isValid)).rows).toEqual([{ indisvalid: true }]);
  });

  test('a database that does not exist is an error with a code alone', async () => {
    const choice = await databases.create();
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
