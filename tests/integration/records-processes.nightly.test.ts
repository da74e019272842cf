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

/** Creates a folder with only earlier migrations, as an older build has, or with an additional migration. */
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

/** Adds a migration that builds an index while the table is in use, in drizzle-kit's format. */
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

  // Statements of the previous release, which has a table for each kind.
  const [NOTICE, REQUESTED, LOGOUT] = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${String(n)}`);
  const CLAIM = `update requested_emails set due_at = now() + interval '60 seconds', attempts = attempts + 1 where id = (
    select id from requested_emails where due_at <= now() order by due_at limit 1 for update skip locked) returning *`;
  const writeEarlier = async (client: Client) => {
    await client.query(`insert into notices (id, uid, kind, key, receiver, body, created_at, due_at, attempts)
      values ('${NOTICE}', 'lena', 'webhook', 'a', 'platform', '{}', now(), now(), default),
      (gen_random_uuid(), 'lena', 'webhook', 'a', 'platform', '{}', now(), now(), default) on conflict do nothing`);
    await client.query(`insert into requested_emails (id, kind, sealed, created_at, due_at, attempts)
      values ('${REQUESTED}', 'reset', 'jwe', now(), now(), default)`);
    await client.query(`insert into oidc_logouts (id, sub, client_id, sid, created_at, due_at, attempts, failed_at, last_error)
      values ('${LOGOUT}', 'lena', 'moodle', 'sid', now(), now(), default, default, default),
      (gen_random_uuid(), 'lena', 'moodle', null, now(), now(), default, default, default)`);
  };
  const JOBS = 'select kind, uid, key, receiver, payload, attempts from jobs order by kind, payload';
  const EXPECTED = [
    { kind: 'logout', uid: 'lena', key: null, receiver: 'moodle', payload: 'sid', attempts: 0 },
    { kind: 'logout', uid: 'lena', key: null, receiver: 'moodle', payload: null, attempts: 0 },
    { kind: 'reset', uid: null, key: null, receiver: null, payload: 'jwe', attempts: 0 },
    { kind: 'webhook', uid: 'lena', key: 'a', receiver: 'platform', payload: null, attempts: 0 },
  ];

  test('work that waits is moved to the table of jobs, with the time and the attempts that it has', async () => {
    const choice = await databases.create();
    await migrateRecords(choice, before('0022_jobs'));
    const client = await connect(choice.url);
    await writeEarlier(client);
    await client.query("update oidc_logouts set attempts = 3, last_error = 'HTTP 500' where sid is null");
    await migrateRecords(choice);
    const [own, everywhere, ...others] = EXPECTED;
    expect((await client.query(JOBS)).rows).toEqual([own, { ...everywhere, attempts: 3 }, ...others]);
  });

  test('the release before writes, takes and ends jobs beside this one, with the rights of its role', async () => {
    const choice = await databases.create();
    await migrateRecords(choice, before('0022_jobs'));
    const owner = await connect(choice.url);
    const role = `earlier_${path.basename(choice.url)}`;
    await owner.query(`create role ${role} login`);
    await owner.query(`grant select, insert, update, delete on all tables in schema public to ${role}`);
    await migrateRecords(choice);
    const [earlier, other] = [await connect(choice.url), await connect(choice.url)];
    for (const client of [earlier, other]) await client.query(`set role ${role}`);
    await writeEarlier(earlier);
    expect((await earlier.query(JOBS)).rows).toEqual(EXPECTED);
    expect((await earlier.query('select * from notices')).rowCount).toBe(1);
    expect((await earlier.query('select sub, client_id, sid from oidc_logouts order by sid')).rows).toEqual([
      { sub: 'lena', client_id: 'moodle', sid: 'sid' },
      { sub: 'lena', client_id: 'moodle', sid: null },
    ]);
    await earlier.query('begin');
    expect((await earlier.query(CLAIM)).rows).toMatchObject([{ id: REQUESTED, sealed: 'jwe', attempts: 1 }]);
    expect((await other.query(CLAIM)).rows).toEqual([]);
    await earlier.query('commit');
    await earlier.query(`update notices set sent_at = now(), body = null where id = '${NOTICE}'`);
    await earlier.query(`delete from requested_emails where id = '${REQUESTED}'`);
    await earlier.query(`delete from oidc_logouts where id = '${LOGOUT}'`);
    const isLeft = 'select kind, payload, sent_at is not null as "isSent" from jobs order by kind';
    expect((await owner.query(isLeft)).rows).toEqual([
      { kind: 'logout', payload: null, isSent: false },
      { kind: 'webhook', payload: null, isSent: true },
    ]);
    await owner.query(`drop owned by ${role}`);
    await owner.query(`drop role ${role}`);
  });

  test('a migration lets queries pass while a dump holds its table, and is applied when that has ended', async () => {
    const choice = await databases.create();
    const [dump, visitor] = [await connect(choice.url), await connect(choice.url)];
    await migrateRecords(choice, before('0014_webhook_receivers'));
    await dump.query('begin');
    await dump.query('lock table accounts in access share mode');
    const migrating = migrateRecords(choice);
    await expect.poll(async () => (await visitor.query(WAITING)).rowCount).toBe(1);
    // Queries of running processes have this timeout.
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
    // An index build waits for earlier transactions. It ends in between, and PostgreSQL keeps an invalid index.
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
