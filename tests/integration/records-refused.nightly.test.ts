// cspell:ignore nologin usename
// Threats: dependency-failure
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { env } from '@/lib/server/runtime/config/env';
import { START_TIMEOUT_MS, getRecords } from '@/lib/server/storage/records';
import { migrateRecords } from '@/lib/server/storage/records/engines';
import { listSessions } from '@/lib/server/storage/records/sessions';
import { createEmptyDatabase, queryDatabase } from '../../scripts/lib/postgres.mjs';
import { CookieJar } from '../support/client';
import { hasPostgres } from '../support/databases';
import { serveRoutes, type RunningRoutes } from '../support/routes';
import { createTestUser, fetchIdToken } from '../support/test-users';

describe.skipIf(!hasPostgres)('a database that refuses new connections, as after its password was replaced', () => {
  const role = `role_${randomUUID().replaceAll('-', '')}`;
  const ask = (statement: string) => queryDatabase(inject('postgresUrl'), statement);
  let name: string;
  let app: RunningRoutes;
  beforeAll(async () => {
    const url = new URL(await createEmptyDatabase(inject('postgresUrl')));
    name = url.pathname.slice(1);
    await ask(`create role ${role} login`);
    await ask(`alter database ${name} owner to ${role}`);
    url.username = role;
    process.env.DATABASE_URL = url.href;
    await migrateRecords({ kind: 'postgres', url: url.href });
    await getRecords(START_TIMEOUT_MS);
    app = await serveRoutes();
  });
  afterAll(async () => {
    await app.close();
    await (await getRecords()).close();
    await ask(`drop database ${name} with (force)`);
    await ask(`drop role ${role}`);
  });

  test('opens no session until it is back', async () => {
    const user = await createTestUser();
    const signIn = async () => {
      const browser = new CookieJar({ origin: env().NEXT_PUBLIC_APP_ORIGIN, 'sec-fetch-site': 'same-origin' });
      const token = await fetchIdToken(user);
      return (await browser.post(`${app.origin}/api/create-user-session`, { token })).status;
    };
    const records = await getRecords();
    const countSessions = async () =>
      (await listSessions(records, { uid: user.uid, now: new Date(), validSince: new Date(0) })).length;
    expect(await signIn()).toBe(200);
    expect(await countSessions()).toBe(1);

    // The test server requires no password.
    await ask(`alter role ${role} nologin`);
    await ask(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where usename = '${role}'`);
    const readCode = () =>
      records
        .query((tx) => tx.execute(sql`select 1`))
        .then(
          () => null,
          (error: unknown) => (error as { code?: string }).code,
        );
    await expect.poll(readCode).toBe('28000');
    expect(await signIn()).toBe(503);

    await ask(`alter role ${role} login`);
    expect(await signIn()).toBe(200);
    expect(await countSessions()).toBe(2);
  });
});
