// Threats: data-in-errors
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRecords } from '@/lib/server/records';
import { exportEvents, insertEvent, insertMethods, listEvents } from '@/lib/server/records/events';
import { deleteExpired } from '@/lib/server/records/retention';
import { accounts, events } from '@/lib/server/records/schema';
import type { Records } from '@/lib/server/records/types';
import { databaseKinds, startDatabases } from '../support/databases';

const NOW = new Date('2026-11-22T12:00:00.123Z');
const SECRET = 'planted-secret-4711';
const client = { network: '203.0.113.0/24', browser: 'Chrome', system: 'Android' };

describe.each(databaseKinds)('records on %s', (kind) => {
  let databases: Awaited<ReturnType<typeof startDatabases>>;
  let records: Records;
  beforeAll(async () => {
    databases = await startDatabases(kind);
    records = await openRecords(await databases.create());
  });
  afterAll(async () => {
    await records.close();
    await databases.stop();
  });

  const list = (uid: string, before: string | null = null) => listEvents(records, { uid, now: NOW, before });
  const kinds = async (uid: string) => (await list(uid)).events.map((event) => event.kind);

  test('stores an event and returns it', async () => {
    await insertEvent(records, { uid: 'one', kind: 'signed-in', at: NOW, client, method: 'google.com' });
    const { id, ...event } = (await list('one')).events[0] ?? { id: '' };
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(event).toEqual({ kind: 'signed-in', at: NOW.toISOString(), browser: 'Chrome', system: 'Android', method: 'google.com' }); // prettier-ignore
    expect((await exportEvents(records, 'one'))[0]).toMatchObject({ uid: 'one', network: '203.0.113.0/24' });
  });

  test('lists pages of 20, newest first, also of events of the same millisecond', async () => {
    for (let i = 0; i < 45; i++)
      await insertEvent(records, { uid: 'many', kind: 'signed-in', at: new Date(NOW.getTime() - Math.floor(i / 7)) });
    const seen: string[] = [];
    let before: string | null = null;
    const sizes: number[] = [];
    for (let more = true; more;) {
      const page = await list('many', before);
      sizes.push(page.events.length);
      seen.push(...page.events.map(({ id }) => id));
      before = seen.at(-1) ?? null;
      more = page.more;
    }
    expect(sizes).toEqual([20, 20, 5]);
    expect(new Set(seen).size).toBe(45);
  });

  test('an id of another account as the cursor yields nothing', async () => {
    await insertEvent(records, { uid: 'owner', kind: 'signed-in', at: NOW });
    await insertEvent(records, { uid: 'stranger', kind: 'signed-in', at: NOW });
    const [foreign] = (await list('owner')).events;
    expect(await list('stranger', foreign?.id ?? '')).toEqual({ events: [], more: false });
  });

  test('records which methods were connected and disconnected, once', async () => {
    const see = (methods: string[]) => insertMethods(records, { uid: 'methods', at: NOW, methods });
    await see(['password']);
    expect(await kinds('methods')).toEqual([]);
    await Promise.all([see(['password', 'google.com']), see(['password', 'google.com'])]);
    expect(await kinds('methods')).toEqual(['method-connected']);
    await see(['google.com']);
    expect((await kinds('methods')).sort()).toEqual(['method-connected', 'method-disconnected']);
  });

  test('records a change of methods by our server with its client, also of an account not seen before', async () => {
    const change = { previous: ['password', 'google.com'], client };
    for (let i = 0; i < 2; i++)
      await insertMethods(records, { uid: 'unlinked', at: NOW, methods: ['password'], change });
    expect((await list('unlinked')).events).toMatchObject([
      { kind: 'method-disconnected', method: 'google.com', browser: 'Chrome' },
    ]);
  });

  test('shows and keeps 13 months, deleted by one process at a time', async () => {
    const at = (text: string) => new Date(text);
    await insertEvent(records, { uid: 'old', kind: 'signed-out', at: at('2025-10-22T12:00:00.122Z') });
    await insertEvent(records, { uid: 'old', kind: 'signed-in', at: at('2025-10-22T12:00:00.124Z') });
    await insertEvent(records, { uid: 'gone', kind: 'signed-in', at: at('2025-01-01T00:00:00Z') });
    await insertEvent(records, { uid: 'gone', kind: 'signed-in', at: at('2025-01-02T00:00:00Z') });
    expect(await kinds('old')).toEqual(['signed-in']);
    const counts = await Promise.all([deleteExpired(records, NOW, 2), deleteExpired(records, NOW, 2)]);
    expect(counts.reduce((sum: number, count) => sum + (count ?? 0), 0)).toBe(3);
    expect((await exportEvents(records, 'old')).map((event) => event.kind)).toEqual(['signed-in']);
    const found = await records.transact((tx) => tx.select({ uid: accounts.uid }).from(accounts));
    expect(found.map(({ uid }) => uid)).not.toContain('gone');
  });

  test('a failed transaction writes nothing', async () => {
    const failing = records.transact(async (tx) => {
      await tx.insert(accounts).values({ uid: 'half', seenAt: NOW });
      await tx.insert(accounts).values({ uid: 'half', seenAt: NOW });
    });
    await expect(failing).rejects.toMatchObject({ code: '23505', constraint: 'accounts_pkey' });
    expect(
      await records.transact((tx) =>
        tx
          .select()
          .from(accounts)
          .where(sql`uid = 'half'`),
      ),
    ).toEqual([]);
  });

  test.each([
    [
      'a violated constraint',
      (uid: string) => ({ id: crypto.randomUUID(), uid, kind: SECRET, at: NOW, method: SECRET }),
    ],
    ['a malformed value', (uid: string) => ({ id: SECRET, uid, kind: SECRET, at: NOW })],
    [
      'a full address',
      (uid: string) => ({ id: crypto.randomUUID(), uid, kind: SECRET, at: NOW, network: '203.0.113.77/32' }),
    ],
  ])('the error of %s contains neither parameters nor the row', async (_name, getRow) => {
    const failure: unknown = await records
      .transact((tx) => tx.insert(events).values(getRow(`no-such-account-${SECRET}`)))
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    const { message, stack, cause } = failure as Error;
    const all = [message, stack, String(cause), JSON.stringify(failure), Object.values(failure as object).join()];
    expect(all.join('\n')).not.toMatch(/planted|203\.0\.113\.77/);
    expect(message).toMatch(/^A query failed: \d[\dA-Z]{4}/);
  });
});
