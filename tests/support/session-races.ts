import { setTimeout as sleep } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { getRecords } from '@/lib/server/storage/records';
import { queueWrite } from '@/lib/server/storage/records/events';
import { notices, sessions } from '@/lib/server/storage/records/schema';
import { endSessionsOfCookies } from '@/lib/server/storage/records/sessions';
import { nextSecond } from './client';
import { mainEngine, type Engine } from './databases';
import { takeRecordsAway } from './records-away';
import { lockSessions, serveSessions, SESSION } from './session-app';
import { fetchIdToken } from './test-users';

/** Tests of many requests about one account at once, on one kind of database. */
export function testSessionRaces(kind: Engine = mainEngine): void {
  const app = serveSessions(kind);
  const { newBrowser, call, open, signIn, check, list, kinds, getId } = app;

  test('200 sign-ins to one account at once, each in its own browser, are as many sessions as there are responses with one', async () => {
    const token = await fetchIdToken(app.user);
    const browsers = Array.from({ length: 200 }, () => newBrowser());
    const answers = await Promise.all(browsers.map((browser) => open(browser, token)));
    // The account's limit, or the identity provider, which makes several cookies for each of these.
    expect(answers.map(({ status }) => status).filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
    const opened = browsers.filter((_, i) => answers[i]?.status === 200);
    expect(opened.length).toBeGreaterThan(1);
    expect(new Set(opened.map(({ cookies }) => cookies[SESSION])).size).toBe(opened.length);
    // One that the database kept waiting for longer than a sign-in waits is recorded after its response.
    await expect.poll(async () => (await list()).length, { timeout: 60_000 }).toBe(opened.length);
    const sids = (await list()).flatMap((session) => session.sids);
    expect(sids.sort()).toEqual(opened.map(({ cookies }) => cookies.kk_sid).sort());
    expect((await kinds()).filter((each) => each === 'signed-in')).toHaveLength(opened.length);
  });

  test('20 sign-ins of one browser at once are one session', async () => {
    const laptop = newBrowser();
    await signIn(laptop);
    const tabs = Array.from({ length: 20 }, () => laptop.copy());
    const token = await fetchIdToken(app.user);
    const answers = await Promise.all(tabs.map((tab) => open(tab, token)));
    const opened = tabs.filter((_, i) => answers[i]?.status === 200);
    await expect.poll(async () => (await list()).map(({ sids }) => sids.length)).toEqual([opened.length + 1]);
    for (const tab of opened) expect(await check(tab)).toBe(200);
  });

  test('sign-ins in flight with a proof that is signed out leave no session', async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    await signIn(laptop);
    await nextSecond();
    const token = await fetchIdToken(app.user);
    await open(phone, token);
    const others = Array.from({ length: 16 }, () => newBrowser('phone'));
    const opening = others.map(async (browser, i) => {
      await sleep(25 * i);
      return open(browser, token);
    });
    await sleep(200);
    expect((await call(laptop, 'account/end-sessions', { others: true })).status).toBe(200);
    const statuses = (await Promise.all(opening)).map(({ status }) => status);
    expect(statuses.filter((status) => ![200, 401, 403, 429, 503].includes(status))).toEqual([]);
    // On a busy machine all of them can be faster.
    const late = newBrowser('phone');
    expect([401, 403]).toContain((await open(late, token)).status);
    expect(await list()).toHaveLength(1);
    for (const browser of [...others, late]) expect(await check(browser)).toBe(401);
  });

  test('a sign-in that the database answers too late, and refuses, is over then', async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    await signIn(laptop);
    await nextSecond();
    const token = await fetchIdToken(app.user);
    await open(phone, token);
    const session = await getId(phone);
    let release = () => {};
    const held = queueWrite(app.user.uid, () => new Promise<void>((resolve) => (release = resolve)));
    // The owner is faster than the browser that has the same proof once more; neither waits for the database any longer.
    const ending = call(laptop, 'account/end-sessions', { session });
    await sleep(500);
    const thief = newBrowser('phone');
    expect((await open(thief, token)).status).toBe(200);
    expect((await ending).status).toBe(503);
    expect(await check(thief)).toBe(200);
    release();
    await held;
    await expect.poll(() => check(thief)).toBe(401);
    expect(await list()).toHaveLength(1);
  });

  test('a sign-in that the database did not answer in time is listed and announced once it does', async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    await signIn(laptop);
    await nextSecond();
    const token = await fetchIdToken(app.user);
    const release = await lockSessions();
    expect((await open(phone, token)).status).toBe(200);
    release();
    await expect.poll(async () => (await list()).length).toBe(2);
    const records = await getRecords();
    const ofUser = eq(notices.uid, app.user.uid);
    const announced = await records.transact((tx) => tx.select().from(notices).where(ofUser));
    expect(announced).toMatchObject([{ kind: 'new-sign-in' }]);
    expect(await kinds()).toEqual(['signed-in', 'signed-in']);
  });

  test('a session that its browser opens once more on a slow database ends with all its cookies', async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    await signIn(laptop);
    await nextSecond();
    const token = await fetchIdToken(app.user);
    expect((await open(phone, token)).status).toBe(200);
    const before = phone.copy();
    await nextSecond();
    const release = await lockSessions();
    expect((await open(phone, token)).status).toBe(200);
    release();
    await expect.poll(async () => (await list()).map(({ sids }) => sids.length).sort()).toEqual([1, 2]);
    expect((await call(laptop, 'account/end-sessions', { session: await getId(phone) })).status).toBe(200);
    expect([await check(phone), await check(before)]).toEqual([401, 401]);
    expect(await kinds()).toEqual(['device-signed-out', 'signed-in', 'signed-in']);
  });

  test('a sign-out that the database did not answer in time ends its record once it does, which no sign-in goes on with', async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    await signIn(laptop);
    await signIn(phone);
    const ended = await getId(phone);
    const renewed = phone.copy();
    const release = await lockSessions();
    expect((await call(phone, 'initiate-logout')).status).toBe(200);
    release();
    await signIn(phone);
    const listed = await list();
    expect(listed).toHaveLength(2);
    expect(listed.map(({ id }) => id)).not.toContain(ended);
    expect([await check(phone), await check(renewed)]).toEqual([200, 401]);
    await signIn(laptop);
    const again = await lockSessions();
    await call(laptop, 'initiate-logout');
    again();
    await expect.poll(async () => (await list()).length).toBe(1);
    expect(await check(phone)).toBe(200);
  });

  test('ten sign-outs of one browser at once are one event', async () => {
    const laptop = newBrowser();
    await signIn(laptop);
    await Promise.all(Array.from({ length: 10 }, () => call(laptop.copy(), 'initiate-logout')));
    // Events are written behind the responses, in their turn.
    await signIn(laptop);
    expect(await kinds()).toEqual(['signed-in', 'signed-out', 'signed-in']);
  });

  test('a sign-in without a record ends with the session that its browser has opened since', async () => {
    const phone = newBrowser('phone');
    const token = await fetchIdToken(app.user);
    const bringBack = await takeRecordsAway();
    expect((await open(phone, token)).status).toBe(200);
    bringBack();
    const before = phone.copy();
    await nextSecond();
    await signIn(phone);
    expect((await list()).map(({ sids }) => sids.length)).toEqual([2]);
    expect((await call(phone, 'initiate-logout')).status).toBe(200);
    expect([await check(phone), await check(before)]).toEqual([401, 401]);
  });

  test('a sign-out ends what the browser had before a sign-in that has no record', async () => {
    const phone = newBrowser('phone');
    await signIn(phone);
    const before = phone.copy();
    await nextSecond();
    const token = await fetchIdToken(app.user);
    const bringBack = await takeRecordsAway();
    expect((await open(phone, token)).status).toBe(200);
    await nextSecond();
    bringBack();
    expect((await list()).map(({ sids }) => sids.length)).toEqual([1]);
    // As by a copied cookie of before, that is checked until the database has heard of the sign-out.
    await (await getRecords()).transact((tx) => tx.update(sessions).set({ lastSeenAt: new Date(Date.now() + 60_000) }));
    expect((await call(phone, 'initiate-logout')).status).toBe(200);
    expect([await check(phone), await check(before)]).toEqual([401, 401]);
  });

  test('a sign-out of what is over is told from one of what is not recorded', async () => {
    const laptop = newBrowser();
    await signIn(laptop);
    const ending = { uid: app.user.uid, at: new Date(), by: 'sign-out' } as const;
    const end = async (sid = '') => (await endSessionsOfCookies(await getRecords(), { ...ending, sids: [sid] }))?.isAny;
    const sid = laptop.cookies.kk_sid;
    expect([await end(sid), await end(sid), await end('unknown')]).toEqual([true, false, undefined]);
  });

  test('signing out again and again with a dead cookie keeps no other write of its account waiting', async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    await signIn(laptop);
    await signIn(phone);
    const dead = phone.copy();
    await call(phone, 'initiate-logout');
    let release = () => {};
    const held = queueWrite(app.user.uid, () => new Promise<void>((resolve) => (release = resolve)));
    const again = await Promise.all(Array.from({ length: 120 }, () => call(dead.copy(), 'initiate-logout')));
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200]));
    const signedOut = call(laptop, 'initiate-logout');
    await sleep(200);
    release();
    await held;
    expect((await signedOut).status).toBe(200);
    expect(await list()).toEqual([]);
  });

  test('one session ended 50 times at once is ended once', async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    await signIn(laptop);
    // A proof of the same second, recorded late, would be taken for that of the ended session.
    await nextSecond();
    await signIn(phone);
    await expect.poll(async () => (await list()).length, { timeout: 60_000 }).toBe(2);
    const session = await getId(phone);
    const ends = Array.from({ length: 50 }, () => call(laptop.copy(), 'account/end-sessions', { session }));
    const answers = await Promise.all(ends);
    expect(answers.map(({ status }) => status)).toContain(200);
    // 503: the database of a busy machine kept some waiting for longer than a change waits.
    const refused = answers.filter(({ status }) => status !== 200 && status !== 503);
    expect(refused.map(({ body }) => body?.code)).toEqual([]);
    expect(await check(phone)).toBe(401);
    expect((await kinds()).filter((each) => each === 'device-signed-out')).toHaveLength(1);
  });
}
