import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { and, eq, sql } from 'drizzle-orm';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import * as oidc from 'openid-client';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { finishDeletion } from '@/lib/server/accounts/deletion/deletion';
import { orderDeletion } from '@/lib/server/accounts/deletion/rows';
import { sealDisavowalLink } from '@/lib/server/codes/links';
import { webhookJobs } from '@/lib/server/notifications/outbox/send-due';
import { logoutJobs } from '@/lib/server/oidc/logouts';
import { env } from '@/lib/server/runtime/config/env';
import { cookieTable } from '@/lib/shared/cookie-table';
import { getRecords } from '@/lib/server/storage/records';
import { announceDisabledAccount, announceSessionEnds, LOGOUT_KIND } from '@/lib/server/storage/records/announcements';
import { writeAboutKnownAccount } from '@/lib/server/storage/records/events';
import { jobs, sessions } from '@/lib/server/storage/records/schema';
import { endWhere } from '@/lib/server/storage/records/sessions';
import { countWaiting, runJobs } from '@/lib/server/storage/records/jobs';
import { configInForce } from './config-files';
import { createAccountsClient } from './accounts-client';
import { nextSecond, type CookieJar } from './client';
import { codeIn, mailsTo } from './mail';
import { Navigator } from './navigator';
import {
  begin,
  complete,
  describeClient,
  discover,
  getIssuer,
  startLogoutReceiver,
  writeClients,
  writeKeys,
} from './relying-party';
import {
  startWebhookReceiver,
  useWebhooksFile,
  WEBHOOK_SECRET,
  writeReceivers,
  writeWebhookSecret,
} from './webhook-receiver';
import { serveSessions, SESSION } from './session-app';
import { createTestUser, fetchIdToken } from './test-users';

const EVENTS = ['account.deleted', 'account.disabled', 'session.ended'];
const AFTER = 'https://moodle.school.example/signed-out?from=campus';
const IDS = ['moodle', 'canvas'];
const FOREIGN_HINT = [{ alg: 'RS256', kid: 'foreign' }, { iss: 'https://other.example', aud: 'moodle' }, {}]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .join('.');
/**
 * Tests logouts that clients request, and notifications of clients and webhook receivers about a session's end, on an
 * engine.
 * @param names names of the reasons, by default all
 */
export function testLogout(): void {
  writeKeys('first');
  useWebhooksFile();

  const app = serveSessions();
  let receiver: Awaited<ReturnType<typeof startLogoutReceiver>>;
  let platform: Awaited<ReturnType<typeof startWebhookReceiver>>;
  beforeAll(async () => {
    platform = await startWebhookReceiver();
    const secretFile = writeWebhookSecret('platform', WEBHOOK_SECRET);
    writeReceivers({ platform: { url: platform.url, secretFile, events: EVENTS } });
    receiver = await startLogoutReceiver();
    await writeAll();
  });
  /** @param addresses other notification addresses, by client */
  async function writeAll(addresses: Record<string, string> = {}) {
    const more = (id: string) => ({
      backchannelLogoutUri: addresses[id] ?? receiver.at(id),
      postLogoutRedirectUris: [AFTER],
    });
    const told = IDS.map((id): [string, object] => [id, describeClient(more(id))]);
    writeClients(Object.fromEntries([...told, ['untold', describeClient()]]));
    await configInForce();
  }
  afterAll(() => Promise.all([receiver.stop(), platform.stop()]));
  beforeEach(() => {
    receiver.received.length = 0;
    platform.received.length = 0;
  });

  const getClient = (id: string) => discover(app.origin, id);
  const accounts = () =>
    createAccountsClient({ emulatorHost: process.env.FIREBASE_AUTH_EMULATOR_HOST ?? '', projectId: 'demo-campus' });

  /** Signs in a browser here and at every client. */
  async function signInEverywhere(browser = app.newBrowser()) {
    await app.signIn(browser);
    const navigator = new Navigator(app.origin);
    navigator.take(browser.cookies);
    const tokens = [];
    for (const id of [...IDS, 'untold']) {
      const config = await getClient(id);
      const started = await begin(config);
      tokens.push({ config, tokens: await complete(config, await navigator.follow(started.address), started) });
    }
    return { browser, navigator, tokens, sids: tokens.map((each) => each.tokens.claims()?.sid) };
  }

  const transact = async (statement: ReturnType<typeof sql>) =>
    (await getRecords()).transact((tx) => tx.execute(statement));
  const clientsAreToBeTold = () =>
    expect
      .poll(async () => JSON.stringify(await transact(sql`select receiver from jobs where kind = ${LOGOUT_KIND}`)))
      .toContain('canvas');
  const makeDue = async () => {
    await transact(sql`update jobs set due_at = now()`);
  };
  const send = async () => {
    await runJobs(await getRecords(), logoutJobs);
    await runJobs(await getRecords(), webhookJobs);
  };

  /**
   * Reads the events that the platform received about the user's account or a session. Returns their kinds with
   * reasons, and the named sessions. If a browser ends other sessions, its own session is replaced.
   */
  function readEvents(cookie: string) {
    const events = platform
      .of(app.user.uid)
      .map(({ body }) => JSON.parse(body) as { type: string; data: { reason?: string; sids?: string[] | null } })
      .filter(({ data }) => !data.sids || data.sids.includes(cookie));
    const kinds = events.map(({ type, data }) => [type, data.reason].filter(Boolean).join(' '));
    return { kinds: kinds.sort(), sids: events.flatMap(({ data }) => data.sids ?? []) };
  }

  /** Returns the received tokens, verified as section 2.6 of Back-Channel Logout requires. */
  async function readReceived() {
    const keys = (await (await fetch(`${app.origin}/api/oidc/jwks`)).json()) as JSONWebKeySet;
    return Promise.all(
      receiver.received.map(async ({ clientId, token }) => {
        const options = { issuer: getIssuer(), audience: clientId, typ: 'logout+jwt', algorithms: ['RS256'] };
        const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
          ...options,
          requiredClaims: ['jti', 'exp'],
        });
        expect(payload.events).toEqual({ 'http://schemas.openid.net/event/backchannel-logout': {} });
        expect(payload).not.toHaveProperty('nonce');
        return { clientId, sub: payload.sub, sid: payload.sid, jti: payload.jti, iat: payload.iat };
      }),
    );
  }

  test('any number of sessions ends at once', async () => {
    await app.signIn(app.newBrowser());
    const { uid } = app.user;
    // This is more than the maximum number of a statement's parameters.
    const ids: string[] = Array.from({ length: 66_000 }, () => randomUUID());
    const records = await getRecords();
    await records.transact(async (tx) => {
      await tx.execute(sql`
        with more as (
          insert into sessions (id, uid, device_id, proved_at, opened_at, last_seen_at, expires_at, ended_at)
          select gen_random_uuid(), uid, device_id, proved_at, opened_at, last_seen_at, expires_at, now()
          from sessions, generate_series(1, 22000) where uid = ${uid} returning id
        )
        insert into oidc_client_sessions (session_id, client_id, sid) select id, 'moodle', id::text from more`);
      const added = await tx.select({ id: sessions.id }).from(sessions).where(eq(sessions.uid, uid));
      ids.push(...added.map(({ id }) => id));
      await announceSessionEnds(tx, ids, { uid, everywhere: false, reason: 'revoked' });
      const isLogout = eq(jobs.kind, LOGOUT_KIND);
      const ofAccount = eq(jobs.uid, uid);
      const told = await tx.delete(jobs).where(and(isLogout, ofAccount)).returning({ sid: jobs.payload });
      expect(new Set(told.map(({ sid }) => sid)).size).toBe(22_000);
      expect(await tx.delete(jobs).where(eq(jobs.uid, uid)).returning({ id: jobs.id })).toHaveLength(1);
    });
  });

  type Ends = (browser: CookieJar) => Promise<unknown>;

  /**
   * Lists every reason for which a session ends, with the reason for webhook receivers. `everywhere`: the token is
   * about all sessions of the account. `either`: the earlier revocation may already have announced them. `beside`: the
   * platform is told of the other browser's session, too, which is replaced.
   */
  const REASONS: [name: string, end: Ends, told: string | RegExp, everywhere?: true | 'either' | 'beside'][] = [
    ['a sign-out', (browser) => app.call(browser, 'initiate-logout'), 'sign-out'],
    ['a sign-out that clears the device', (browser) => app.call(browser, 'clear-device'), 'sign-out'],
    ['a sign-out everywhere', (browser) => app.call(browser, 'account/sign-out-everywhere'), /^(sign-out|revoked)$/],
    [
      'another session of the owner, for this one',
      async (browser) => {
        const other = app.newBrowser('phone');
        await app.signIn(other);
        return app.call(other, 'account/end-sessions', { session: await app.getId(browser) });
      },
      'owner',
    ],
    [
      'another session of the owner, for all others',
      async () => {
        const other = app.newBrowser('phone');
        await nextSecond();
        await app.signIn(other);
        return app.call(other, 'account/end-sessions', { others: true });
      },
      'owner',
    ],
    [
      'a new password',
      async (browser) => {
        const body = { current: app.user.password, password: 'quiet-lantern-42' };
        expect((await app.call(browser, 'account/password', body)).status).toBe(200);
      },
      'revoked',
    ],
    [
      'a password reset',
      async () => {
        const { email } = app.user;
        const other = app.newBrowser('phone');
        await app.call(other, 'password-reset', { email });
        const [mail = { text: '' }] = await mailsTo({ mailboxUrl: inject('mailboxUrl') }, email, 1);
        const body = { code: codeIn(mail), password: 'quiet-lantern-42' };
        expect((await app.call(other, 'password-reset/confirm', body)).status).toBe(200);
      },
      'revoked',
    ],
    [
      'a change of the email in another browser',
      async () => {
        const other = app.newBrowser('phone');
        await app.signIn(other);
        await nextSecond();
        const to = `${randomUUID()}@new.test`;
        expect((await app.call(other, 'account/email', { email: to })).status).toBe(200);
        const [mail = { text: '' }] = await mailsTo({ mailboxUrl: inject('mailboxUrl') }, to, 1);
        expect((await app.call(other, 'account/email/confirm', { code: codeIn(mail) })).status).toBe(200);
      },
      'revoked',
      'beside',
    ],
    [
      'a disavowal',
      async (browser) => {
        const { uid, email: to } = app.user;
        const link = { uid, to, session: await app.getId(browser), at: new Date().toISOString(), again: '1' };
        const body = { code: await sealDisavowalLink(link) };
        expect((await app.call(app.newBrowser('phone'), 'actions/disavow-sign-in', body)).status).toBe(200);
      },
      /^(revoked|disavowed)$/,
      'either',
    ],
    [
      'the deletion of the account',
      async () => {
        const records = await getRecords();
        const brand = { origin: env().NEXT_PUBLIC_APP_ORIGIN, brandName: 'Campus', accent: null, support: null };
        await finishDeletion(records, await orderDeletion(records, app.user.uid, brand as never));
      },
      /^(revoked|deleted)$/,
      'either',
    ],
    // The first client that asks notices it.
    ['an account that an operator has disabled', () => accounts().disable(app.user), 'disabled', true],
    ['an account that was deleted elsewhere', () => accounts().remove(app.user), 'deleted', true],
    ['a revocation elsewhere', () => accounts().revoke(app.user), 'revoked'],
    // The platform's session check notices it.
    [
      'an account that may no longer be signed in to',
      async (browser) => {
        await accounts().setUnverified(app.user);
        app.advance(30);
        expect(await app.check(browser)).toBe(401);
      },
      'not-allowed',
    ],
    [
      'a sign-in of another account in this browser',
      async (browser) => {
        await app.open(browser, await fetchIdToken(await createTestUser()));
        // These are written in the background.
        await clientsAreToBeTold();
      },
      'other-account',
    ],
  ];

  /** Further events about the account. */
  const OF_ACCOUNT: Record<string, string> = {
    'the deletion of the account': 'account.deleted',
    'an account that an operator has disabled': 'account.disabled',
  };

  describe('each client and the platform is told once, after a failure, and its tokens end, when a session ends by', () => {
    test.each(REASONS)('%s', async (name, end, reason, everywhere) => {
      const { browser, tokens, sids } = await signInEverywhere();
      const { uid } = app.user;
      const cookie = browser.cookies.kk_sid ?? '';
      await end(browser);
      for (const each of tokens)
        await expect(oidc.fetchUserInfo(each.config, each.tokens.access_token, uid)).rejects.toThrow();
      await clientsAreToBeTold();
      receiver.failNext(2);
      platform.answer(503);
      await send();
      expect(receiver.received).toEqual([]);
      const failed = platform.of(uid).length;
      platform.answer(204);
      await makeDue();
      await send();
      await makeDue();
      await send();
      const told = await readReceived();
      const expected = IDS.map((clientId, at) => [
        clientId,
        uid,
        everywhere === true || everywhere === 'either' ? undefined : sids[at],
      ]);
      const known = told.map(({ clientId, sub, sid }) => [clientId, sub, everywhere === 'either' ? undefined : sid]);
      expect(known.sort()).toEqual(expected.sort());
      expect(told).toHaveLength(IDS.length);
      expect(new Set(told.map(({ jti }) => jti)).size).toBe(IDS.length);

      expect(failed).toBeGreaterThan(0);
      platform.received.splice(0, failed);
      const { kinds, sids: cookies } = readEvents(cookie);
      const [account, session] = kinds.length === 2 ? kinds : [null, kinds[0]];
      expect(account).toBe(OF_ACCOUNT[name] ?? null);
      expect(session?.replace(/^session.ended /, '')).toMatch(reason);
      if (everywhere === 'beside') expect(cookies).toContain(cookie);
      else if (everywhere !== 'either') expect(cookies).toEqual(everywhere ? [] : [cookie]);
    });

    test('a copied cookie, or an older one, tells of no session when another account signs in with it, its own browser does', async () => {
      const browser = app.newBrowser();
      await app.signIn(browser);
      const old = browser.copy();
      // The identity provider's clock sets the time, and it may differ from ours by ten seconds.
      await sleep(11_000);
      const { tokens } = await signInEverywhere(browser);
      const [thief, other] = [browser.copy(), await createTestUser()];
      delete thief.cookies[cookieTable.device.name];
      for (const copy of [old, thief]) expect((await app.open(copy, await fetchIdToken(other))).status).toBe(200);
      const waiting = async () => transact(sql`select receiver from jobs where kind = ${LOGOUT_KIND}`);
      // Events about a session are written behind the response, in the order of the account's writes.
      await writeAboutKnownAccount(await getRecords(), app.user.uid, () => Promise.resolve());
      expect(JSON.stringify(await waiting())).not.toContain('canvas');
      for (const each of tokens) await oidc.fetchUserInfo(each.config, each.tokens.access_token, app.user.uid);
      // This is the browser itself. The newest cookie can expire before an older one, such as after a passkey sign-in.
      const later = sql`update session_cookies set expires_at = expires_at + interval '1 hour'`;
      await transact(sql`${later} where sid = ${old.cookies.kk_sid}`);
      expect((await app.open(browser, await fetchIdToken(other))).status).toBe(200);
      await clientsAreToBeTold();
      await send();
    });

    test('a client that hangs delays no other', async () => {
      const stuck = await startWebhookReceiver();
      stuck.hang();
      await writeAll({ moodle: stuck.url });
      const { browser } = await signInEverywhere();
      await app.call(browser, 'initiate-logout');
      const sending = send();
      await expect.poll(() => [stuck.received.length, receiver.received.length]).toEqual([1, 1]);
      const next = await signInEverywhere();
      await app.call(next.browser, 'initiate-logout');
      const more = send();
      await expect.poll(() => receiver.received.length).toBe(2);
      await stuck.stop();
      await Promise.all([sending, more]);
      await writeAll();
      await makeDue();
      await send();
      expect(receiver.received.map(({ clientId }) => clientId).sort()).toEqual([
        'canvas',
        'canvas',
        'moodle',
        'moodle',
      ]);
    });

    test('a client that answers with 404 is tried again, and after the fourth time no more', async () => {
      const { browser } = await signInEverywhere();
      await app.call(browser, 'initiate-logout');
      // Seven of the eight responses to four attempts at two clients fail.
      receiver.failNext(7, 404);
      for (let attempts = 1; attempts <= 4; attempts += 1) {
        expect(receiver.received).toHaveLength(0);
        await makeDue();
        await send();
      }
      expect(receiver.received).toHaveLength(1);
      const waiting = await transact(
        sql`select receiver from jobs where kind = ${LOGOUT_KIND} and uid = ${app.user.uid}`,
      );
      expect(JSON.stringify(waiting)).not.toMatch(/moodle|canvas/);
    });

    test('what a client refuses for more than an hour is counted, until it is accepted', async () => {
      const count = async () => countWaiting(await getRecords(), [logoutJobs]);
      const { browser } = await signInEverywhere();
      await app.call(browser, 'initiate-logout');
      receiver.failNext(4, 401);
      await send();
      expect(await count()).toBe(0);
      await transact(sql`update jobs set created_at = now() - interval '70 minutes', due_at = now()
        where kind = ${LOGOUT_KIND}`);
      await send();
      expect(await count()).toBe(IDS.length);
      await makeDue();
      await send();
      expect([receiver.received.length, await count()]).toEqual([IDS.length, 0]);
    });

    test('a client that is not in the file is told once it is', async () => {
      const { browser } = await signInEverywhere();
      writeClients({ canvas: describeClient({ backchannelLogoutUri: receiver.at('canvas') }) });
      await configInForce();
      await app.call(browser, 'initiate-logout');
      await send();
      expect((await readReceived()).map(({ clientId }) => clientId)).toEqual(['canvas']);
      await writeAll();
      await makeDue();
      await send();
      expect((await readReceived()).map(({ clientId }) => clientId)).toEqual(['canvas', 'moodle']);
      expect(JSON.stringify(await transact(sql`select receiver from jobs where kind = ${LOGOUT_KIND}`))).not.toContain(
        'untold',
      );
    });

    test('what waits for a client that was removed is not tried, and dropped after an hour', async () => {
      const { browser } = await signInEverywhere();
      writeClients({ canvas: describeClient({ backchannelLogoutUri: receiver.at('canvas') }) });
      await configInForce();
      await app.call(browser, 'initiate-logout');
      const read = async () =>
        JSON.stringify(await transact(sql`select receiver, attempts from jobs where kind = ${LOGOUT_KIND}`));
      await send();
      const waiting = await read();
      await transact(sql`update jobs set created_at = now() - interval '61 minutes' where kind = ${LOGOUT_KIND}`);
      await send();
      const left = await read();
      await writeAll();
      expect([waiting, left]).toEqual([
        expect.stringMatching(/moodle","attempts":0/),
        expect.not.stringContaining('moodle'),
      ]);
      expect((await readReceived()).map(({ clientId }) => clientId)).toEqual(['canvas']);
    });

    test('a logout of all sessions that is sent late is older than those that began since', async () => {
      await signInEverywhere();
      const { uid } = app.user;
      await writeAboutKnownAccount(await getRecords(), uid, (tx) => announceDisabledAccount(tx, uid));
      await transact(sql`update jobs set created_at = now() - interval '1 minute' where kind = ${LOGOUT_KIND}`);
      const { tokens } = await signInEverywhere();
      await send();
      const [own] = tokens;
      const told = await readReceived();
      expect(told.map(({ sid }) => sid)).toEqual([undefined, undefined]);
      for (const { iat = Infinity } of told) expect(iat).toBeLessThan(own?.tokens.claims()?.iat ?? 0);
      receiver.received.length = 0;
      // No one has signed in since. Some clients refuse a token that was issued long ago.
      await writeAboutKnownAccount(await getRecords(), uid, (tx) =>
        endWhere(tx, { uid, at: new Date(), by: 'revoked-since-proof' }, undefined),
      );
      await transact(sql`update jobs set created_at = now() - interval '1 minute' where kind = ${LOGOUT_KIND}`);
      await send();
      for (const { iat = 0 } of await readReceived()) expect(iat).toBeGreaterThan(Date.now() / 1000 - 30);
      expect(receiver.received).toHaveLength(2);
    });

    test.each<[name: string, end: Ends, everywhere: boolean]>([
      [
        'the next sign-in in its browser',
        (browser) => {
          delete browser.cookies[SESSION];
          return app.signIn(browser);
        },
        false,
      ],
      [
        'what ends all sessions',
        async () => {
          const { uid } = app.user;
          await writeAboutKnownAccount(await getRecords(), uid, (tx) => announceDisabledAccount(tx, uid));
        },
        true,
      ],
    ])('a session that has expired is told with %s', async (_name, end, everywhere) => {
      const { browser, sids } = await signInEverywhere();
      const past = sql`now() - interval '1 minute'`;
      await transact(sql`update sessions set expires_at = ${past} where uid = ${app.user.uid}`);
      await send();
      expect(receiver.received).toEqual([]);
      await end(browser);
      await send();
      const told = (await readReceived()).map(({ clientId, sid }) => [clientId, sid]);
      expect(told.sort()).toEqual(IDS.map((clientId, at) => [clientId, everywhere ? undefined : sids[at]]).sort());
    });

    test('a session of the same account in another browser goes on', async () => {
      const one = await signInEverywhere();
      const other = await signInEverywhere(app.newBrowser('phone'));
      await app.call(one.browser, 'initiate-logout');
      await send();
      expect((await readReceived()).map(({ sid }) => sid).sort()).toEqual(one.sids.slice(0, 2).sort());
      const [first] = other.tokens;
      await oidc.fetchUserInfo(first?.config as oidc.Configuration, first?.tokens.access_token ?? '', app.user.uid);
    });
  });

  describe('a logout that a client asks for', () => {
    const ask = async (navigator: Navigator, parameters: Record<string, string>) => {
      const config = await getClient('moodle');
      return navigator.open(oidc.buildEndSessionUrl(config, parameters));
    };

    test.each([
      ['its state', 'a"b', 'a%22b'],
      ['the longest state', 's'.repeat(2_048), 's'.repeat(2_048)],
    ])('is confirmed on our own page, and leads back with %s', async (_name, state, shown) => {
      const { navigator, tokens } = await signInEverywhere();
      const hint = tokens[0]?.tokens.id_token ?? '';
      const response = await ask(navigator, { id_token_hint: hint, post_logout_redirect_uri: AFTER, state });
      expect(response.status).toBe(303);
      const page = new URL(response.headers.get('location') ?? '');
      expect([page.origin, page.pathname]).toEqual([env().NEXT_PUBLIC_APP_ORIGIN, '/sign-out']);
      expect(page.href).not.toContain('moodle');
      const query = `?logout_return=${page.searchParams.get('logout_return') ?? ''}`;
      const html = await (await navigator.open(`${getIssuer()}/signed-out${query}`)).text();
      expect(html).toContain(`https://moodle.school.example/signed-out?from=campus\\u0026state=${shown}`);
    });

    test.each([
      ['the session', true],
      ['no cookie, as browsers send it from another site', false],
    ])('by a form leads to the same page, with %s', async (_name, hasSession) => {
      const { navigator, tokens } = await signInEverywhere();
      const sender = hasSession ? navigator : new Navigator(app.origin);
      const hint = tokens[0]?.tokens.id_token ?? '';
      const post = async (body: RequestInit['body'], headers = {}) => {
        const response = await sender.open(`${getIssuer()}/logout`, { method: 'POST', body: body ?? null, headers });
        return [response.status, response.headers.get('location')?.split('=')[0] ?? null];
      };
      const form = { id_token_hint: hint, post_logout_redirect_uri: AFTER, state: 'a"b' };
      const page = `${env().NEXT_PUBLIC_APP_ORIGIN}/sign-out?logout_return`;
      expect(await post(new URLSearchParams(form))).toEqual([303, page]);
      const foreign = { ...form, post_logout_redirect_uri: 'https://attacker.example/' };
      expect(await post(new URLSearchParams(foreign))).toEqual([400, null]);
      expect(await post(new URLSearchParams({ ...form, state: 's'.repeat(2_049) }))).toEqual([400, null]);
      expect(await post(JSON.stringify(form), { 'content-type': 'application/json' })).toEqual([400, null]);
    });

    test('with a hint of a key that was replaced leads back to its client; one that was changed is refused', async () => {
      const { navigator, tokens } = await signInEverywhere();
      const hint = tokens[0]?.tokens.id_token ?? '';
      const leave = async (more: Record<string, string>) => {
        const query = new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: AFTER, ...more });
        const response = await navigator.open(`${getIssuer()}/logout?${query.toString()}`);
        return [response.status, response.headers.get('location')?.includes('?logout_return=') ?? null];
      };
      const changed = `${hint.slice(0, -6)}AAAAAA`;
      expect(await leave({ id_token_hint: changed })).toEqual([400, null]);
      writeKeys('second');
      await configInForce();
      expect(await leave({})).toEqual([303, true]);
      expect(await leave({ client_id: 'moodle' })).toEqual([303, true]);
      expect(await leave({ client_id: 'canvas' })).toEqual([400, null]);
      expect(await leave({ post_logout_redirect_uri: 'https://attacker.example/' })).toEqual([400, null]);
      writeKeys('first');
      await configInForce();
    });

    test('without a session leads to the same page', async () => {
      const response = await ask(new Navigator(app.origin), { post_logout_redirect_uri: AFTER });
      expect(response.headers.get('location')).toContain('/sign-out?logout_return=');
    });

    test.each([
      ['a foreign address', { post_logout_redirect_uri: 'https://attacker.example/' }],
      ['a hint without a signature', { id_token_hint: 'e30.e30.e30', post_logout_redirect_uri: AFTER }],
      ['a hint of another issuer', { id_token_hint: FOREIGN_HINT, post_logout_redirect_uri: AFTER }],
    ])('with %s is refused', async (_name, parameters) => {
      const { navigator } = await signInEverywhere();
      const response = await ask(navigator, parameters);
      expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    });

    test('the way back is sealed', async () => {
      const navigator = new Navigator(app.origin);
      for (const query of ['', '?logout_return=https://attacker.example/', '?logout_return=a.b.c.d.e']) {
        const response = await navigator.open(`${getIssuer()}/signed-out${query}`);
        expect([response.status, (await response.text()).includes('attacker')]).toEqual([400, false]);
      }
    });
  });
}
