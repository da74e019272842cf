import { PROVED_ADDRESS_CLAIM } from '@/lib/server/policy/account';
import { addWebhookEvent, readDisabledToldAt } from '@/lib/server/storage/records/announcements';
import { createHmac } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readWebhook } from '../../examples/express/webhooks.mjs';
import { emailJobs, webhookJobs } from '@/lib/server/notifications/outbox/send-due';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { leaveSessionOfOther, leaveSessions } from '@/lib/server/session/leave-sessions';
import { findAccountOfSession } from '@/lib/server/session/require-session';
import { cookieTable } from '@/lib/shared/cookie-table';
import { getRecords } from '@/lib/server/storage/records';
import { insertEvent } from '@/lib/server/storage/records/events';
import { deleteExpired } from '@/lib/server/storage/records/retention';
import { jobs } from '@/lib/server/storage/records/schema';
import { runJobs } from '@/lib/server/storage/records/jobs';
import { nextSecond } from './client';
import { configInForce } from './config-files';
import { letPass } from './deletions';
import { SESSION, serveSessions } from './session-app';
import { createTestUser, fetchIdToken } from './test-users';
import {
  startWebhookReceiver,
  useWebhooksFile,
  WEBHOOK_SECRET,
  writeReceivers,
  writeWebhookSecret,
  type ReceivedWebhook,
} from './webhook-receiver';

const getSecret = (name: string) => `whsec_${Buffer.alloc(32, `secret of ${name}`).toString('base64')}`;
const NAMES = ['main', 'library', 'grades'] as const;
type Name = (typeof NAMES)[number];
type Receivers = Record<Name, Awaited<ReturnType<typeof startWebhookReceiver>>>;

const read = ({ headers, body }: ReceivedWebhook, secret: string) =>
  readWebhook(headers, body, { secret, isKnown: () => false });
const parse = ({ body }: ReceivedWebhook) => JSON.parse(body) as { type: string; timestamp: string; data: object };

/** Tests of several receivers of events on an engine. `main` is the receiver of `WEBHOOK_URL`. */
export function testWebhooks(): void {
  useWebhooksFile();
  let receivers: Receivers;
  const start = async () => {
    const started = await Promise.all(NAMES.map(async (name) => [name, await startWebhookReceiver()] as const));
    receivers = Object.fromEntries(started) as Receivers;
    Object.assign(process.env, { WEBHOOK_URL: receivers.main.url, WEBHOOK_SECRET });
  };
  beforeAll(start);
  const app = serveSessions();
  afterAll(() => Promise.all(NAMES.map((name) => receivers[name].stop())));

  const describeReceiver = (name: Name, events: string[], more: object = {}) => ({
    url: receivers[name].url,
    secretFile: writeWebhookSecret(name, getSecret(name)),
    events,
    ...more,
  });
  /** Describes another receiver at the same address. */
  const describeOther = (name: string, more: object = {}) =>
    describeReceiver('library', ['account.disabled'], {
      secretFile: writeWebhookSecret(name, getSecret(name)),
      ...more,
    });
  const configure = (more: object = {}) =>
    writeReceivers({
      library: describeReceiver('library', ['account.deleted', 'account.disabled', 'session.ended']),
      grades: describeReceiver('grades', ['account.updated', 'account.disabled', 'session.ended']),
      ...more,
    });
  beforeEach(() => {
    configure();
    for (const name of NAMES) receivers[name].answer(204);
  });

  const send = async () => {
    await configInForce();
    return runJobs(await getRecords(), webhookJobs);
  };
  const transact = async <T>(work: Parameters<Awaited<ReturnType<typeof getRecords>>['transact']>[0]) =>
    (await (await getRecords()).transact(work)) as T;
  const tell = async (uid: string, type: 'account.deleted' | 'account.disabled' = 'account.disabled') => {
    await configInForce();
    return transact((tx) => addWebhookEvent(tx, { type, data: { uid } }));
  };
  const received = (name: Name, uid = app.user.uid) => receivers[name].of(uid).map(parse);
  const rows = (uid = app.user.uid) =>
    transact<{ receiver: string | null; lastError: string | null; body: unknown }[]>((tx) =>
      tx.select().from(jobs).where(eq(jobs.uid, uid)),
    );
  const makeDue = async () => letPass(await getRecords(), app.user.uid, '1 hour');

  test('each receiver gets the events of its list, signed with its own secret', async () => {
    const { uid } = app.user;
    await tell(uid, 'account.deleted');
    await tell(uid, 'account.disabled');
    await send();
    expect(
      NAMES.map((name) =>
        received(name)
          .map(({ type }) => type)
          .sort(),
      ),
    ).toEqual([['account.deleted'], ['account.deleted', 'account.disabled'], ['account.disabled']]);
    const [event] = receivers.grades.of(uid);
    if (!event) throw new Error('nothing was received');
    expect(await read(event, getSecret('grades'))).toMatchObject({ type: 'account.disabled', data: { uid } });
    for (const other of [getSecret('library'), WEBHOOK_SECRET]) expect(await read(event, other)).toBe('refused');
    const ids = NAMES.flatMap((name) => receivers[name].of(uid).map(({ headers }) => headers['webhook-id']));
    expect(new Set(ids).size).toBe(4);
    expect((await rows()).every(({ body }) => body === null)).toBe(true);
  });

  test('an event of a transaction that fails is not told', async () => {
    const { uid } = app.user;
    const failed = transact(async (tx) => {
      await addWebhookEvent(tx, { type: 'account.disabled', data: { uid } });
      await tx.execute(sql`select 1 / 0`);
    });
    await expect(failed).rejects.toThrow();
    await send();
    expect(await rows()).toEqual([]);
  });

  test('a receiver that fails, or redirects, gets the same event again, and the others get it once', async () => {
    const { uid } = app.user;
    for (const status of [500, 302]) {
      receivers.library.answer(status);
      await tell(uid);
      await send();
      await send();
    }
    expect([received('library').length, received('grades').length]).toEqual([2, 2]);
    expect((await rows()).map(({ receiver, lastError }) => [receiver, lastError]).sort()).toEqual([
      ['grades', null],
      ['grades', null],
      ['library', 'HTTP 302'],
      ['library', 'HTTP 500'],
    ]);
    receivers.library.answer(204);
    await makeDue();
    await send();
    const ids = receivers.library.of(uid).map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids).size, received('grades').length]).toEqual([4, 2, 2]);
  });

  test('a receiver that hangs delays neither the others nor emails, and is asked by few calls at a time', async () => {
    const { uid } = app.user;
    const stuck = await startWebhookReceiver();
    stuck.hang();
    configure({ stuck: describeOther('stuck', { url: stuck.url }) });
    for (let count = 0; count < 6; count += 1) await tell(uid);
    const sends = [send()];
    await expect.poll(() => received('grades').length).toBe(6);
    // While the receiver hangs, later events are also sent, immediately or by the next call if the current call has
    // just ended.
    await tell(uid);
    await runJobs(await getRecords(), emailJobs);
    const sendAgain = () => {
      sends.push(send());
      return received('library').length;
    };
    await expect.poll(sendAgain).toBe(7);
    expect(stuck.of(uid)).toHaveLength(4);
    await stuck.stop();
    await Promise.all(sends);
    // The receiver did not respond, so the remaining events wait for the next round.
    expect((await rows()).filter(({ receiver, body }) => receiver === 'stuck' && body !== null)).toHaveLength(7);
    expect(stuck.of(uid)).toHaveLength(4);
  });

  test('an invalid entry is left out, and the others go on; what it was to be told is told once it is corrected', async () => {
    const { uid } = app.user;
    const fixed = describeOther('broken');
    configure({
      broken: { ...fixed, url: 'http://library.example/' },
      worse: { ...fixed, events: ['account.renamed'] },
    });
    await tell(uid);
    await send();
    expect([received('library').length, received('grades').length]).toEqual([1, 1]);
    expect((await rows()).filter(({ lastError }) => lastError !== null)).toMatchObject([
      { receiver: 'broken', lastError: 'NOT_CONFIGURED' },
    ]);
    configure({ broken: fixed });
    await makeDue();
    await send();
    expect(received('library')).toHaveLength(2);
  });

  test('what waits for a receiver that was removed goes to no other, and is deleted in the end', async () => {
    const { uid } = app.user;
    configure({ former: describeOther('former', { url: 'http://localhost:9/' }) });
    await tell(uid);
    configure();
    await send();
    expect([received('main').length, received('library').length, received('grades').length]).toEqual([0, 1, 1]);
    expect((await rows()).find(({ receiver }) => receiver === 'former')).toMatchObject({ lastError: 'NOT_CONFIGURED' });
    await letPass(await getRecords(), uid, '31 days');
    await deleteExpired(await getRecords(), new Date());
    expect((await rows()).filter(({ receiver }) => receiver === 'former')).toEqual([]);
  });

  test('a new secret is in force at once, and while there are two both sign', async () => {
    const { uid } = app.user;
    const next = getSecret('next');
    writeWebhookSecret('grades', `${getSecret('grades')}, ${next}`);
    await tell(uid);
    await send();
    const [event] = receivers.grades.of(uid);
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures } = event?.headers ?? {};
    const sign = (secret: string) =>
      createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
        .update(`${String(id)}.${String(at)}.${event?.body ?? ''}`)
        .digest('base64');
    expect(signatures).toBe([getSecret('grades'), next].map((secret) => `v1,${sign(secret)}`).join(' '));
  });

  describe('a change is told, in its transaction', () => {
    test('of a name', async () => {
      const browser = app.newBrowser();
      await app.signIn(browser);
      expect((await app.call(browser, 'account/name', { name: 'Lena Example' })).status).toBe(200);
      await expect.poll(() => app.kinds()).toContain('name-changed');
      await send();
      const [event, ...more] = received('grades');
      expect(event).toEqual({
        type: 'account.updated',
        timestamp: expect.any(String) as unknown,
        data: { uid: app.user.uid, changed: ['name'] },
      });
      expect([more, received('library')]).toEqual([[], []]);
    });

    test.each(['email-verified', 'email-changed', 'email-restored'] as const)('of an email: %s', async (kind) => {
      await insertEvent(await getRecords(), { uid: app.user.uid, kind, at: new Date() });
      await send();
      expect(received('grades').map(({ type, data }) => [type, data])).toEqual([
        ['account.updated', { uid: app.user.uid, changed: ['email'] }],
      ]);
    });

    test('of an account that an operator has disabled: once, and again after it was enabled', async () => {
      const browsers = [app.newBrowser(), app.newBrowser('phone')];
      for (const browser of browsers) await app.signIn(browser);
      const ids = await Promise.all(browsers.map((browser) => app.getId(browser)));
      // Finds the account as a client of the OpenID Provider does, because the emulator itself responds to the check of
      // a cookie.
      const notice = async () => {
        await getIdentityAdmin().updateUser(app.user.uid, { disabled: true });
        for (const id of [...ids, ...ids]) expect(await findAccountOfSession(id)).toBeNull();
        await send();
      };
      await notice();
      const told = received('library').map(({ type, data }) => [type, data]);
      expect(told.sort()).toEqual([
        ['account.disabled', { uid: app.user.uid }],
        ['session.ended', { uid: app.user.uid, reason: 'disabled', sids: null }],
      ]);
      await getIdentityAdmin().updateUser(app.user.uid, { disabled: false });
      await nextSecond();
      await app.signIn(browsers[0] ?? app.newBrowser());
      await notice();
      expect(received('library').filter(({ type }) => type === 'account.disabled')).toHaveLength(2);
    });

    test.each(['a client of the OpenID Provider', 'the session check'])(
      'of an account that was disabled, enabled and disabled: again, when its session went on meanwhile, as %s has noticed',
      async (who) => {
        const { uid } = app.user;
        const browser = app.newBrowser();
        await app.signIn(browser);
        const id = await app.getId(browser);
        const disable = (disabled: boolean) => getIdentityAdmin().updateUser(uid, { disabled });
        const countTold = async () => {
          await disable(true);
          // Many calls at the same time send one event.
          expect(await Promise.all(Array.from({ length: 8 }, () => findAccountOfSession(id)))).toEqual(
            Array.from({ length: 8 }, () => null),
          );
          await send();
          return received('library').map(({ type }) => type);
        };
        expect(await countTold()).toHaveLength(2);
        await disable(false);
        app.advance(60);
        if (who === 'the session check') expect(await app.check(browser)).toBe(200);
        else expect(await findAccountOfSession(id)).toMatchObject({ uid });
        const isForgotten = async () => (await readDisabledToldAt(await getRecords(), uid)) === null;
        await expect.poll(isForgotten).toBe(true);
        const told = await countTold();
        expect(told.sort()).toEqual([
          ...['account.disabled', 'account.disabled'],
          ...['session.ended', 'session.ended'],
        ]);
      },
    );

    test('of an account that was disabled with another email than the proved one', async () => {
      const { uid, email } = app.user;
      const browser = app.newBrowser();
      await app.signIn(browser);
      const id = await app.getId(browser);
      await getIdentityAdmin().setCustomUserClaims(uid, { [PROVED_ADDRESS_CLAIM]: email });
      await getIdentityAdmin().updateUser(uid, { email: `moved-${email}`, disabled: true });
      expect(await findAccountOfSession(id)).toBeNull();
      await send();
      const told = received('library').map(({ type }) => type);
      expect(told.sort()).toEqual(['account.disabled', 'session.ended']);
    });

    test('of a revocation elsewhere: of the sessions that it ended, and of none while a change of ours freezes the account', async () => {
      const { uid } = app.user;
      const [browser, gone] = [app.newBrowser(), app.newBrowser('phone')];
      for (const each of [browser, gone]) await app.signIn(each);
      const old = browser.cookies.kk_sid ?? '';
      await nextSecond();
      const validSince = Math.floor(Date.now() / 1000) * 1000;
      await nextSecond();
      // The session continues by a later proof. The earlier cookie is refused.
      await app.signIn(browser);
      const notice = async (since: number) => {
        const account = { isDisabled: false, isRevoked: true, validSince: since };
        await leaveSessions(await getRecords(), uid, account, () => Promise.resolve([]));
        await send();
        return received('library').map(({ data }) => data);
      };
      expect(await notice(Date.now() + 16_000)).toEqual([]);
      const ended = [{ uid, reason: 'revoked', sids: [gone.cookies.kk_sid] }];
      expect(await notice(validSince)).toEqual(ended);
      expect(await notice(validSince)).toEqual(ended);
      expect([old === browser.cookies.kk_sid, await app.check(browser), await app.check(gone)]).toEqual([
        false,
        200,
        401,
      ]);
    });

    test('of a session that another account leaves behind in a browser: again when it has come back, and once each time', async () => {
      const [shared, other] = [app.newBrowser(), await createTestUser()];
      const told: unknown[] = [];
      const sids: string[] = [];
      for (let count = 0; count < 2; count += 1) {
        await app.signIn(shared);
        const device = { secret: shared.cookies[cookieTable.device.name] ?? null };
        const request = { sessionCookie: shared.cookies[SESSION] ?? '', device };
        sids.push(shared.cookies.kk_sid ?? '');
        expect((await app.open(shared, await fetchIdToken(other))).status).toBe(200);
        await leaveSessionOfOther(request, other.uid);
        told.push({ uid: app.user.uid, reason: 'other-account', sids: [...sids].sort() });
        const sent = async () => {
          await send();
          return received('library').map(({ data }) => data);
        };
        await expect.poll(sent).toHaveLength(count + 1);
        await nextSecond();
      }
      expect(received('library').map(({ data }) => data)).toEqual(told);
    });

    test('of a deletion elsewhere: of all sessions, once', async () => {
      const { uid } = app.user;
      for (const browser of [app.newBrowser(), app.newBrowser('phone')]) await app.signIn(browser);
      for (let count = 0; count < 2; count += 1)
        await leaveSessions(await getRecords(), uid, null, () => Promise.resolve([]));
      await send();
      expect(received('library').map(({ data }) => data)).toEqual([{ uid, reason: 'deleted', sids: null }]);
    });

    test.each([
      [200, 'with all its cookies, of a session that lasts long', 201],
      [1_000, 'as all sessions, where they are more than an event names', null],
    ])('of a session with %i earlier cookies: %s', async (earlier, _as, named) => {
      const { uid } = app.user;
      const [laptop, phone] = [app.newBrowser(), app.newBrowser('phone')];
      await app.signIn(phone);
      await transact((tx) =>
        tx.execute(sql`insert into session_cookies (sid, session_id, expires_at)
          select 'cookie-' || n || ${uid}, id, now() + interval '1 day' from sessions, generate_series(1, ${earlier}::int) n where uid = ${uid}`),
      );
      await nextSecond();
      await app.signIn(laptop);
      expect((await app.call(laptop, 'account/end-sessions', { session: await app.getId(phone) })).status).toBe(200);
      await send();
      const [{ data } = { data: {} }] = received('library');
      const { sids, ...rest } = data as { sids?: string[] | null };
      expect([rest, sids?.length ?? null]).toEqual([{ uid, reason: 'owner' }, named]);
    });
  });

  test('what was written before 2026-11-26 goes to WEBHOOK_URL alone', async () => {
    const { uid } = await createTestUser();
    const event = { type: 'account.deleted', timestamp: new Date().toISOString(), data: { uid } };
    await transact((tx) =>
      tx.execute(sql`insert into jobs (id, uid, kind, key, body, created_at, due_at)
        values (gen_random_uuid(), ${uid}, 'account.deleted', '1', ${JSON.stringify({ channel: 'webhook', event })}::jsonb, now(), now())`),
    );
    await send();
    expect(NAMES.map((name) => received(name, uid).length)).toEqual([1, 0, 0]);
  });
}
