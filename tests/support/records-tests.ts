import { randomUUID } from 'node:crypto';
import { eq, sql, type SQL } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRecords } from '@/lib/server/storage/records';
import {
  deleteAccountRecords,
  exportEvents,
  insertEvent,
  insertMethods,
  insertRemovedMethod,
  listEvents,
} from '@/lib/server/storage/records/events';
import { deleteExpired } from '@/lib/server/storage/records/retention';
import {
  accounts,
  authenticatorApps,
  deletions,
  devices,
  events,
  jobs,
  sessionCookies,
  sessions,
} from '@/lib/server/storage/records/schema';
import { recordSession } from '@/lib/server/session/sessions';
import type { Records } from '@/lib/server/storage/records/engines';
import { mainEngine, startDatabases, type Engine } from './databases';

const NOW = new Date('2026-11-22T12:00:00.123Z');
const SECRET = 'planted-secret-4711';
const client = { network: '203.0.113.0/24', browser: 'Chrome', system: 'Android' };

/** Tests of the tables of the records on an engine. */
export function testRecords(kind: Engine = mainEngine): void {
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
    expect(event).toEqual({
      kind: 'signed-in',
      at: NOW.toISOString(),
      browser: 'Chrome',
      system: 'Android',
      method: 'google.com',
      bySupport: false,
    });
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

  const after = (ms: number) => new Date(NOW.getTime() + ms);

  test('records which methods were connected and disconnected, once', async () => {
    const see = (ms: number, methods: string[]) =>
      insertMethods(records, { uid: 'methods', at: after(ms + 1), read: { methods, requestedAt: after(ms) } });
    await see(-90, ['password']);
    expect(await kinds('methods')).toEqual([]);
    await Promise.all([see(-80, ['password', 'google.com']), see(-80, ['password', 'google.com'])]);
    expect(await kinds('methods')).toEqual(['method-connected']);
    await see(-70, ['google.com']);
    expect(await kinds('methods')).toEqual(['method-disconnected', 'method-connected']);
  });

  test('ignores methods that were requested before the stored ones had been read', async () => {
    const see = (requested: number, read: number, methods: string[]) =>
      insertMethods(records, { uid: 'late', at: after(read), read: { methods, requestedAt: after(requested) } });
    await see(-90, -80, ['password', 'google.com']);
    await see(-70, -40, ['password']);
    // Both reads were requested while google.com was still connected, or may have been.
    await see(-75, -30, ['password', 'google.com']);
    await see(-40, -20, ['password', 'google.com']);
    expect(await kinds('late')).toEqual(['method-disconnected']);
    await see(-39, -10, ['password', 'google.com']);
    expect(await kinds('late')).toEqual(['method-connected', 'method-disconnected']);
  });

  const remove = (uid: string, requested: number, removed: number) =>
    insertRemovedMethod(records, {
      uid,
      method: 'google.com',
      client,
      at: after(removed),
      read: { methods: ['password', 'google.com'], requestedAt: after(requested) },
    });

  test('records a removal by our server with its client, once, also of an account not seen before', async () => {
    await remove('unlinked', -90, -80);
    await remove('unlinked', -85, -75);
    expect((await list('unlinked')).events).toMatchObject([
      { kind: 'method-disconnected', method: 'google.com', browser: 'Chrome' },
    ]);
  });

  // A page of the account is loaded during a removal. Its request and its write can happen at any time.
  test.each([-95, -85, -75].flatMap((requested) => [true, false].map((first) => [requested, first] as const)))(
    'a removal and a page requested at %i, written first: %s, are one event',
    async (requested, first) => {
      const uid = `page${String(requested)}${String(first)}`;
      // The removal was requested at -90 and is done at -80.
      const methods = requested < -80 ? ['password', 'google.com'] : ['password'];
      const writes = [
        () => insertMethods(records, { uid, at: after(-70), read: { methods, requestedAt: after(requested) } }),
        () => remove(uid, -90, -80),
      ];
      await insertMethods(records, {
        uid,
        at: after(-99),
        read: { methods: ['password', 'google.com'], requestedAt: after(-100) },
      });
      for (const write of first ? writes : writes.reverse()) await write();
      expect(await kinds(uid)).toEqual(['method-disconnected']);
      await insertMethods(records, { uid, at: after(-50), read: { methods: ['password'], requestedAt: after(-60) } });
      expect(await kinds(uid)).toEqual(['method-disconnected']);
    },
  );

  test('a burst of one account loses no event, its own or of another one', async () => {
    const read = { methods: ['password'], requestedAt: NOW };
    const write = (uid: string) => insertEvent(records, { uid, kind: 'signed-in', at: NOW, read });
    const burst = Array.from({ length: 50 }, () => write('busy'));
    const results = await Promise.allSettled([...burst, write('quiet')]);
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(await exportEvents(records, 'busy')).toHaveLength(50);
    expect(await exportEvents(records, 'quiet')).toHaveLength(1);
  });

  test('an event of another account is written before a burst of one is', async () => {
    const write = (uid: string) => insertEvent(records, { uid, kind: 'signed-in', at: NOW });
    const order: string[] = [];
    const note = (uid: string) => write(uid).then(() => order.push(uid));
    // Opens two connections first. On a busy machine, opening a connection takes longer than writing many events.
    await Promise.all(['flood', 'calm'].map(write));
    await Promise.all([...Array.from({ length: 50 }, () => note('flood')), note('calm')]);
    expect(order.indexOf('calm')).toBeLessThan(25);
  });

  test('an account is registered once, and its email restored once a minute', async () => {
    const write = (kind: 'registered' | 'email-restored', at: Date) => insertEvent(records, { uid: 'once', kind, at });
    const minute = 60_000;
    await Promise.all([0, 1, 2].map(() => write('registered', after(-9 * minute))));
    await write('registered', NOW);
    for (const ms of [-5 * minute, -5 * minute, -4.5 * minute, -3 * minute]) await write('email-restored', after(ms));
    expect(await kinds('once')).toEqual(['email-restored', 'email-restored', 'registered']);
  });

  test('deleting the records of an account leaves those of others', async () => {
    for (const uid of ['deleted', 'kept']) await insertEvent(records, { uid, kind: 'signed-in', at: NOW });
    await deleteAccountRecords(records, 'deleted');
    expect([await exportEvents(records, 'deleted'), await kinds('kept')]).toEqual([[], ['signed-in']]);
    const found = await records.transact((tx) => tx.select({ uid: accounts.uid }).from(accounts));
    expect(found.map(({ uid }) => uid)).not.toContain('deleted');
  });

  test('shows and keeps 13 months, deleted by one process at a time', async () => {
    const at = (text: string) => new Date(text);
    await insertEvent(records, { uid: 'old', kind: 'signed-in', at: at('2025-10-22T12:00:00.124Z') });
    await insertEvent(records, { uid: 'old', kind: 'signed-out', at: at('2025-10-22T12:00:00.122Z') });
    await insertEvent(records, { uid: 'gone', kind: 'signed-in', at: at('2025-01-01T00:00:00Z') });
    await insertEvent(records, { uid: 'gone', kind: 'signed-in', at: at('2025-01-02T00:00:00Z') });
    expect(await kinds('old')).toEqual(['signed-in']);
    const counts = await Promise.all([deleteExpired(records, NOW, 2), deleteExpired(records, NOW, 2)]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3);
    expect((await exportEvents(records, 'old')).map((event) => event.kind)).toEqual(['signed-in']);
    const found = await records.transact((tx) => tx.select({ uid: accounts.uid }).from(accounts));
    expect(found.map(({ uid }) => uid)).not.toContain('gone');
  });

  test('an account that is to be deleted is kept until then; one whose owner only began to set up an app is not', async () => {
    const long = new Date('2020-01-01T00:00:00Z');
    await records.transact(async (tx) => {
      await tx.insert(accounts).values(['leaving', 'tried'].map((uid) => ({ uid, seenAt: long })));
      const times = { requestedAt: long, effectiveAt: long, dueAt: long };
      const brand = { origin: '', brandName: '', accent: '', support: '' };
      await tx.insert(deletions).values({ uid: 'leaving', id: randomUUID(), emails: [], brand, ...times });
      const app = { id: randomUUID(), uid: 'tried', sealedKey: {}, keyId: 'a', createdAt: long };
      await tx.insert(authenticatorApps).values(app);
    });
    await deleteExpired(records, NOW);
    const left = await records.transact((tx) => tx.select({ uid: accounts.uid }).from(accounts));
    expect(left.map(({ uid }) => uid)).toContain('leaving');
    expect(left.map(({ uid }) => uid)).not.toContain('tried');
  });

  test('expired sessions are kept for 30 days, devices for 13 months', async () => {
    const DAY = 86_400_000;
    const before = (days: number) => new Date(NOW.getTime() - days * DAY);
    for (const days of [1, 20, 40, 420]) {
      const common = {
        uid: 'visitor',
        at: before(days),
        authenticatedAt: before(days),
        firstAuthenticatedAt: before(days),
        expiresAt: before(days - 5),
        client,
      };
      const opening = {
        ...common,
        sid: `sid-${String(days)}`,
        deviceDigest: String(days),
        method: null,
        root: null,
        proofId: null,
      };
      await recordSession(records, {
        ...opening,
        events: [],
        isSignIn: true,
        isRegistration: false,
        freshProof: null,
        assurance: 1,
        isRemembered: false,
        remembersBrowser: false,
        validSince: new Date(0),
        pending: null,
        language: null,
        announce: null,
      });
    }
    // Works for any number of batches.
    await deleteExpired(records, NOW, 1);
    const left = await records.transact(async (tx) => ({
      devices: await tx.select({ of: devices.cookieDigest }).from(devices).where(eq(devices.uid, 'visitor')),
      sessions: await tx.select({ at: sessions.openedAt }).from(sessions).where(eq(sessions.uid, 'visitor')),
      cookies: await tx.select({ sid: sessionCookies.sid }).from(sessionCookies),
    }));
    expect(left.devices.map((device) => device.of).sort()).toEqual(['1', '20', '40']);
    expect(left.sessions.map(({ at }) => at.getTime()).sort()).toEqual([before(20), before(1)].map(Number));
    expect(left.cookies.map(({ sid }) => sid).sort()).toEqual(['sid-1', 'sid-20']);
  });

  test('notices are kept for 30 days after they were sent or given up, and until then', async () => {
    const ago = (days: number) => sql`now() - make_interval(days => ${days})`;
    await records.transact(async (tx) => {
      const add = (key: string, ends: { sentAt?: SQL; failedAt?: SQL }) =>
        tx.insert(jobs).values({
          id: randomUUID(),
          uid: 'told',
          kind: 'new-sign-in',
          key,
          createdAt: ago(90),
          dueAt: ago(90),
          ...ends,
        });
      await add('sent long ago', { sentAt: ago(31) });
      await add('given up long ago', { failedAt: ago(31) });
      await add('sent', { sentAt: ago(29) });
      await add('waiting', {});
    });
    await deleteExpired(records, NOW);
    const left = await records.transact((tx) => tx.select({ key: jobs.key }).from(jobs));
    expect(left.map(({ key }) => key).sort()).toEqual(['sent', 'waiting']);
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
}
