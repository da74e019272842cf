// The database as seen by the operator's tool and by the app's start.
// Threats: dependency-failure
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { request } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { PROVED_ADDRESS_CLAIM } from '@/lib/server/policy';
import { openRecords } from '@/lib/server/storage/records';
import { migrateRecords } from '@/lib/server/storage/records/engines';
import { insertEvent } from '@/lib/server/storage/records/events';
import { digestAddress } from '@/lib/server/storage/records/sent-emails';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { startPostgres } from '../../scripts/lib/postgres.mjs';
import { createTestUser } from '../support/test-users';
import { prepareCli } from '../support/cli';
import { hasPostgres, startEmptyDatabases } from '../support/databases';
import { listen } from '../support/listen';
import { production, start } from '../support/start-process';
import { WEBHOOK_SECRET } from '../support/webhook-receiver';

const DEVICE = 'd0000000-0000-4000-8000-000000000001';
const SESSION = '50000000-0000-4000-8000-000000000001';

let cli: Awaited<ReturnType<typeof prepareCli>>;
beforeAll(async () => {
  cli = await prepareCli();
});

describe('without a server', () => {
  test('the doctor says where the embedded database is', async () => {
    const folder = path.join(mkdtempSync(path.join(os.tmpdir(), 'cli-embedded-')), 'records');
    const examine = () => cli.examineDatabase({ DATABASE_FOLDER: folder });
    expect(await examine()).toMatchObject({
      state: 'works',
      detail: `${folder} does not exist yet: the app creates it when it starts`,
    });
    const records = await openRecords({ kind: 'embedded', folder });
    expect(await examine()).toMatchObject({
      state: 'could not be checked',
      detail: expect.stringContaining(`process ${String(process.pid)} on`) as string,
    });
    expect(await cli.examineDatabase({ DATABASE_FOLDER: folder }, 'passkeys')).toMatchObject({
      state: 'works',
      detail: expect.stringContaining('could not be read') as string,
    });
    await records.close();
    expect(await cli.examineDatabase({ DATABASE_FOLDER: folder }, 'passkeys')).toMatchObject({
      state: 'works',
      detail: 'RP ID localhost, on http://localhost:3000',
    });
    expect(await examine()).toMatchObject({
      state: 'works',
      detail: expect.stringMatching(/^embedded PostgreSQL \d+\.\d+, all \d+ migrations applied$/) as string,
    });
  });
});

describe.skipIf(!hasPostgres)('PostgreSQL', () => {
  const databases = startEmptyDatabases();
  afterAll(() => databases.stop());

  const create = async () => (await databases.create()).url;
  const createMigrated = async () => {
    const url = await create();
    await migrateRecords({ kind: 'postgres', url });
    return url;
  };
  const query = async (url: string, text: string) => {
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(text);
    await client.end();
  };
  const makeReadOnly = (url: string) =>
    query(url, `alter database ${path.basename(url)} set default_transaction_read_only = on`);

  test('the doctor says the version and which migrations are applied, and applies none', async () => {
    const fresh = await create();
    for (const url of [fresh, fresh])
      expect(await cli.examineDatabase({ DATABASE_URL: url })).toMatchObject({
        state: 'does not work',
        detail: expect.stringMatching(
          /^PostgreSQL \d+.*, no migration applied yet: no process of this version starts$/,
        ) as string,
        action: expect.stringContaining('Run: node cli migrate.') as string,
      });
    const behind = await createMigrated();
    await query(
      behind,
      'delete from drizzle.__drizzle_migrations where created_at = (select max(created_at) from drizzle.__drizzle_migrations)',
    );
    expect(await cli.examineDatabase({ DATABASE_URL: behind })).toMatchObject({
      detail: expect.stringMatching(
        /, the migration \d{4}_\w+ is missing: no process of this version starts$/,
      ) as string,
    });
    expect(await cli.examineDatabase({ DATABASE_URL: await createMigrated() })).toMatchObject({
      state: 'works',
      detail: expect.stringMatching(/, all \d+ migrations applied$/) as string,
      action: null,
    });
  });

  test('the doctor says that a version may go on after the next one has migrated', async () => {
    const url = await createMigrated();
    await query(url, "insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 9000000000000)");
    expect(await cli.examineDatabase({ DATABASE_URL: url })).toMatchObject({
      state: 'works',
      detail: expect.stringMatching(/, and 1 of a later version, which may run beside the release before it/) as string,
    });
  });

  test('migrate applies what is missing, says so, and can be run again; a process that is started before says what to run', async () => {
    const url = await create();
    const early = start({ ...production, DATABASE_URL: url });
    expect([early.status, early.stdout]).toEqual([1, expect.stringContaining('run first: node cli migrate')]);
    const first = await cli.run(['migrate'], { DATABASE_URL: url });
    expect([first.code, first.stdout]).toEqual([
      0,
      expect.stringMatching(/^Applied 0000_events\n[^]*All migrations are applied\.\n$/),
    ]);
    expect(await cli.run(['migrate'], { DATABASE_URL: url })).toMatchObject({
      code: 0,
      stdout: 'All migrations were applied before.\n',
    });
    expect(start({ ...production, DATABASE_URL: url }).status).toBe(0);
    expect(await cli.run(['migrate'], { DATABASE_URL: 'postgres://app:SeCrEt1@127.0.0.1:9/app' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no server listens there (ECONNREFUSED)') as string,
    });
  });

  const cases: [string, string, () => Promise<string> | string][] = [
    ['no such database (3D000)', 'stops', async () => `${await create()}_other`],
    ['the server has no TLS (NO_TLS)', 'stops', async () => `${await create()}?sslmode=verify-full`],
    [
      'no permission (42501)',
      'stops',
      async () => {
        const url = await createMigrated();
        await query(url, `create role visitor_${path.basename(url)} login`);
        return url.replace('app@', `visitor_${path.basename(url)}@`);
      },
    ],
    [
      'read-only (25006)',
      'starts',
      async () => {
        const url = await createMigrated();
        await makeReadOnly(url);
        return url;
      },
    ],
    ['no server listens there (ECONNREFUSED)', 'starts', () => 'postgres://app:SeCrEt1@127.0.0.1:9/app'],
  ];

  test.each(cases)('%s: the doctor fails, and the app %s', async (reason, outcome, getUrl) => {
    const url = await getUrl();
    const found = await cli.examineDatabase({ DATABASE_URL: url });
    expect(found).toMatchObject({
      state: 'does not work',
      detail: expect.stringContaining(reason) as string,
      action: expect.any(String) as string,
    });
    const { status, stdout } = start({ ...production, DATABASE_URL: url });
    expect([status, stdout]).toEqual([outcome === 'starts' ? 0 : 1, expect.stringContaining(reason)]);
    expect(stdout + JSON.stringify(found)).not.toContain('SeCrEt1');
  });

  test('passkeys of another RP ID: the doctor fails, and the app stops', async () => {
    const url = await createMigrated();
    await query(
      url,
      `insert into accounts (uid, seen_at) values ('lena', now()); insert into passkeys values (gen_random_uuid(), 'lena', 'id', 'key', -7, 0, '{}', gen_random_uuid(), true, true, true, 'old.example', 'lena@campus.test', null, 'settings', now())`,
    );
    const found = await cli.examineDatabase({ DATABASE_URL: url }, 'passkeys');
    expect(found).toMatchObject({
      state: 'does not work',
      detail: expect.stringContaining('there are passkeys of old.example') as string,
    });
    const { status, stdout } = start({ ...production, DATABASE_URL: url });
    expect([status, stdout]).toEqual([1, expect.stringContaining('but there are passkeys of old.example')]);
  });

  test('an app whose key no secret opens: the doctor fails, and the app stops; not one that is being set up', async () => {
    const url = await createMigrated();
    await query(
      url,
      `insert into accounts (uid, seen_at) values ('lena', now());
       insert into authenticator_apps (id, uid, sealed_key, key_id, created_at) values (gen_random_uuid(), 'lena', '{}', '3f9c', now())`,
    );
    expect(await cli.examineDatabase({ DATABASE_URL: url }, 'second factor')).toMatchObject({
      state: 'not configured',
    });
    await query(url, 'update authenticator_apps set confirmed_at = now()');
    for (const SECOND_FACTOR_SECRET of ['', Buffer.alloc(32, 'another').toString('base64')]) {
      const variables = { DATABASE_URL: url, SECOND_FACTOR_SECRET };
      expect(await cli.examineDatabase(variables, 'second factor')).toMatchObject({
        state: 'does not work',
        detail: 'SECOND_FACTOR_SECRET opens no key 3f9c of authenticator apps, so no process starts',
      });
      const { status, stdout } = start({ ...production, ...variables });
      expect([status, stdout]).toEqual([1, expect.stringContaining('opens no key 3f9c')]);
    }
  });

  const readRows = async (url: string, statement: string, values: string[] = []): Promise<unknown[]> => {
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(statement, values);
    await client.end();
    return rows;
  };
  const countRows = async (url: string, uid: string) =>
    (await readRows(url, 'select count(*) as accounts from accounts where uid = $1', [uid]))[0];

  test('events prints what is recorded about an account, by email or id, and delete deletes it, also by the id alone', async () => {
    const url = await createMigrated();
    const variables = { DATABASE_URL: url };
    const user = await createTestUser();
    const records = await openRecords({ kind: 'postgres', url });
    for (let i = 0; i < 2; i++) await insertEvent(records, { uid: user.uid, kind: 'signed-in', at: new Date() });
    await records.close();
    // A code that was requested, which names no account.
    await query(
      url,
      `insert into sent_emails (id, address_digest, kind, message_id, result, answer, at)
       values ('${randomUUID()}', '${digestAddress(user.email)[0] ?? ''}', 'reset', '${randomUUID()}', 'refused', '550 No such user', now())`,
    );
    for (const name of [user.email, user.uid]) {
      const { code, stdout, stderr } = await cli.run(['events', name], variables);
      expect(stderr).toMatch(/^Accounts: the emulator at [^\n]+, project demo-campus\n/);
      expect(stderr).toContain(`\nDatabase: PostgreSQL at ${new URL(url).host}${new URL(url).pathname}\n`);
      expect([code, JSON.parse(stdout)]).toEqual([
        0,
        {
          uid: user.uid,
          events: [expect.objectContaining({ kind: 'signed-in' }), expect.anything()],
          sessions: [],
          emails: [expect.objectContaining({ kind: 'reset', result: 'refused', answer: '550 No such user' })],
        },
      ]);
    }
    expect(await cli.run(['events', 'unknown@campus.test'], variables)).toMatchObject({ code: 1, stdout: '' });

    const dry = await cli.run(['delete', user.uid], variables);
    expect([dry.code, dry.stdout]).toEqual([
      0,
      expect.stringContaining(', and 3 records about it in the database. Nothing was deleted'),
    ]);
    // The database fails once the account is deleted at the identity provider.
    await query(
      url,
      `create function fail() returns trigger language plpgsql as $$ begin raise 'no'; end $$; create trigger fail before delete on accounts execute function fail()`,
    );
    const failed = await cli.run(['delete', user.email, '--yes'], variables);
    expect([failed.code, failed.stdout]).toEqual([1, '']);
    expect(failed.stderr).toContain('The account was deleted at the identity provider, but its records remain.');
    expect(failed.stderr).toContain(`node cli delete ${user.uid} --yes`);
    expect(await countRows(url, user.uid)).toMatchObject({ accounts: '1' });
    await query(url, 'drop trigger fail on accounts');

    const again = await cli.run(['delete', user.uid, '--yes'], variables);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('Deleted: all records about it')]);
    expect(await countRows(url, user.uid)).toMatchObject({ accounts: '0' });
    expect((await cli.run(['delete', user.uid, '--yes'], variables)).stdout).toContain('There is no such account');
  });

  test.each(['delete', 'second-factor-off'])(
    '%s has the clients of its sessions told by a running app',
    async (name) => {
      const url = await createMigrated();
      const { uid } = await createTestUser();
      await query(
        url,
        `insert into accounts (uid, seen_at) values ('${uid}', now());
       insert into devices (id, uid, first_seen_at, last_seen_at) values ('${DEVICE}', '${uid}', now(), now());
       insert into sessions (id, uid, device_id, opened_at, proved_at, last_seen_at, expires_at)
         values ('${SESSION}', '${uid}', '${DEVICE}', now() - interval '1 minute', now() - interval '1 minute', now(), now() + interval '1 day');
       insert into oidc_client_sessions (session_id, client_id, sid) values ('${SESSION}', 'moodle', 'its-sid')`,
      );
      const secret = Buffer.alloc(32, 'second factor').toString('base64');
      const { code, stderr } = await cli.run([name, uid, '--yes'], { DATABASE_URL: url, SECOND_FACTOR_SECRET: secret });
      expect([code, stderr]).toEqual([
        0,
        expect.stringMatching(/^Accounts: [^\n]+\nDatabase: PostgreSQL at [^\n]+\n$/),
      ]);
      expect(await readRows(url, "select receiver, uid from jobs where kind = 'logout'")).toEqual([
        { receiver: 'moodle', uid },
      ]);
      expect(await readRows(url, 'select * from oidc_client_sessions')).toEqual([]);
    },
  );

  test.each(['events', 'second-factor-off', 'delete'])('to look at an account, %s does not change it', async (name) => {
    const user = await createTestUser();
    await getIdentityAdmin().setCustomUserClaims(user.uid, { [PROVED_ADDRESS_CLAIM]: `proved-${user.email}` });
    const { code, stdout } = await cli.run([name, user.email], { DATABASE_URL: await createMigrated() });
    expect([code, stdout]).toEqual([0, expect.stringContaining(user.uid)]);
    expect((await getIdentityAdmin().getUser(user.uid)).email).toBe(user.email);
  });

  test('second-factor-off says before whether there is one, and whether the proved email is restored', async () => {
    const { uid, email } = await createTestUser();
    const variables = { DATABASE_URL: await createMigrated() };
    const preview = async () => (await cli.run(['second-factor-off', uid], variables)).stdout;
    expect(await preview()).toMatch(
      /^Two-step verification is off for account [^.]+: only its sessions would end\. Nothing was changed: add --yes\.\n$/,
    );
    const claims = { [PROVED_ADDRESS_CLAIM]: `proved-${email}`, second_factor: 1 };
    await getIdentityAdmin().setCustomUserClaims(uid, claims);
    expect(await preview()).toMatch(
      /^Would turn two-step verification off for account [^.]+\. It gets its proved email back first, [^.]+\. Nothing was changed: add --yes\.\n$/,
    );
    const { stdout } = await cli.run(['second-factor-off', uid, '--yes'], variables);
    expect(stdout).toMatch(/^Two-step verification is off for account /);
    const user = await getIdentityAdmin().getUser(uid);
    expect([user.email, user.providerData]).toEqual([`proved-${email}`, []]);
  });

  test('second-factor-off says when the account is gone meanwhile', async () => {
    const { uid } = await createTestUser();
    let lookups = 0;
    // This identity provider returns the account only for the first lookup.
    const provider = await listen((req, res) => {
      if (req.url?.endsWith(':lookup')) lookups += 1;
      if (lookups > 1) return void res.setHeader('content-type', 'application/json').end('{}');
      const { url: path, method, headers } = req;
      const [host, port] = inject('emulatorHost').split(':');
      req.pipe(request({ host, port, path, method, headers }, (answer) => void answer.pipe(res)));
    });
    const { code, stdout } = await cli.run(['second-factor-off', uid, '--yes'], {
      DATABASE_URL: await createMigrated(),
      FIREBASE_AUTH_EMULATOR_HOST: `127.0.0.1:${String(provider.port)}`,
    });
    await provider.stop();
    expect([code, stdout]).toEqual([0, 'There is no such account: nothing to turn off.\n']);
  });

  test('delete says that a running app notifies the receivers of webhooks', async () => {
    const variables = {
      DATABASE_URL: await createMigrated(),
      WEBHOOK_URL: 'http://localhost:9/webhooks',
      WEBHOOK_SECRET,
    };
    const { uid } = await createTestUser();
    const { code, stdout, stderr } = await cli.run(['delete', uid, '--yes'], variables);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('A running app with the same configuration notifies the receivers of webhooks.'),
    ]);
    expect(stderr).toMatch(/^Database: PostgreSQL at /m);
    const other = await createTestUser();
    const untold = await cli.run(['delete', other.uid, '--yes'], { DATABASE_URL: variables.DATABASE_URL });
    expect(untold.stdout).not.toContain('notifies');
  });

  test('delete deletes nothing while the database is away', async () => {
    const user = await createTestUser();
    const { code, stderr } = await cli.run(['delete', user.uid, '--yes'], {
      DATABASE_URL: 'postgres://app@127.0.0.1:9/app',
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining('no server listens there (ECONNREFUSED)')]);
    expect((await getIdentityAdmin().getUser(user.uid)).uid).toBe(user.uid);
  });

  test('a database that becomes read-only counts as away', async () => {
    const url = await createMigrated();
    process.env.DATABASE_URL = url;
    // The configuration is read once.
    vi.resetModules();
    const [{ getRecords }, { getRecordsState }] = await Promise.all([
      import('@/lib/server/storage/records'),
      import('@/lib/server/storage/records'),
    ]);
    expect(await getRecordsState()).toBe('up');
    await makeReadOnly(url);
    // Ends earlier connections, as a failover does.
    await query(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()`,
    );
    await expect.poll(getRecordsState).toBe('down');
    const records = await getRecords();
    await expect(insertEvent(records, { uid: 'lena', kind: 'signed-in', at: new Date() })).rejects.toMatchObject({
      isAway: true,
    });
    await records.close();
  });

  test('wrong password (28P01): the doctor fails, and the app stops', async () => {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'cli-password-'));
    const server = await startPostgres({ port: (await freePorts(1))[0] ?? 0, dir, auth: 'scram-sha-256' });
    const url = server.url.replace('app@', 'app:SeCrEt1@');
    const found = await cli.examineDatabase({ DATABASE_URL: url });
    expect(found).toMatchObject({ state: 'does not work', detail: 'wrong password (28P01)' });
    expect(await cli.examineDatabase({ DATABASE_URL: server.url })).toMatchObject({
      detail: 'the server requires a password (NO_PASSWORD)',
    });
    const { status, stdout } = start({ ...production, DATABASE_URL: url });
    expect([status, stdout]).toEqual([1, expect.stringContaining('wrong password (28P01)')]);
    expect(stdout + JSON.stringify(found)).not.toContain('SeCrEt1');
    await server.stop();
  });
});
