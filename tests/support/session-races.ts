import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { getRecords, withRecordsInTime } from '@/lib/server/storage/records';
import type { Records } from '@/lib/server/storage/records/engines';
import { addEvent, queueWrite, writeAboutAccount } from '@/lib/server/storage/records/events';
import { endSessionsOfCookies } from '@/lib/server/storage/records/sessions';
import { nextSecond } from './client';
import { takeRecordsAway } from './records-away';
import { lockSessions, serveSessions, SESSION } from './session-app';
import { fetchIdToken } from './test-users';
import { setProductionLimits } from './time-limits';

/** Tests of many simultaneous requests about one account on one kind of database. */
export function testSessionRaces(): void {
  const app = serveSessions();
  const { newBrowser, call, open, signIn, check, list, kinds, getId, expectCode } = app;

  test('200 sign-ins to one account at once, each in its own browser, are as many sessions as there are responses with one', async () => {
    const token = await fetchIdToken(app.user);
    const browsers = Array.from({ length: 200 }, () => newBrowser());
    const answers = await Promise.all(browsers.map((browser) => open(browser, token)));
    // The account's limit responds, or the identity provider, which makes several cookies for each request.
    expect(answers.map(({ status }) => status).filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
    const opened = browsers.filter((_, i) => answers[i]?.status === 200);
    expect(opened.length).toBeGreaterThan(1);
    expect(new Set(opened.map(({ cookies }) => cookies[SESSION])).size).toBe(opened.length);
    // A sign-in that waits too long for the database gets 503. Its transaction rolls back, unless its commit was
    // already sent.
    const sids = (await list()).flatMap((session) => session.sids);
    expect(sids).toEqual(expect.arrayContaining(opened.map(({ cookies }) => cookies.kk_sid)));
    const late = answers.filter(({ status }) => status === 503).length;
    expect(sids.length - opened.length).toBeLessThanOrEqual(late);
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
    // On a busy machine, all of them can be faster.
    const late = newBrowser('phone');
    expect([401, 403]).toContain((await open(late, token)).status);
    expect(await list()).toHaveLength(1);
    for (const browser of [...others, late]) expect(await check(browser)).toBe(401);
  });

  test('a sign-in that the database does not answer in time opens no session, and the next one does', async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    await signIn(laptop);
    await nextSecond();
    const token = await fetchIdToken(app.user);
    const release = await lockSessions();
    expectCode(await open(phone, token), 503, 'records-unavailable');
    expect([phone.cookies[SESSION], await check(laptop)]).toEqual([undefined, 200]);
    release();
    expect((await open(phone, token)).status).toBe(200);
    expect([await check(phone), await check(laptop)]).toEqual([200, 200]);
  });

  test('a transaction whose request was refused after the timeout rolls back', async () => {
    const restoreLimits = setProductionLimits();
    const { uid } = app.user;
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let writing: Promise<void> = Promise.resolve();
    const work = (records: Records) =>
      (writing = writeAboutAccount(records, { uid, at: new Date() }, async (tx) => {
        await addEvent(tx, { uid, at: new Date(), kind: 'signed-in' });
        await held;
      }));
    await expect(withRecordsInTime(work)).rejects.toMatchObject({ code: 'records-unavailable' });
    release();
    await expect(writing).rejects.toMatchObject({ code: 'records-unavailable' });
    expect(await kinds()).toEqual([]);
    restoreLimits();
  });

  test('while the database is away, no sign-in opens a session, sessions go on, and a sign-out holds', async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    await signIn(laptop);
    const before = laptop.copy();
    const token = await fetchIdToken(app.user);
    const bringBack = await takeRecordsAway();
    const refused = await open(phone, token);
    expectCode(refused, 503, 'records-unavailable');
    expect(refused.headers.get('retry-after')).toBe('5');
    expect([phone.cookies[SESSION], await check(laptop)]).toEqual([undefined, 200]);
    expect((await call(laptop, 'initiate-logout')).status).toBe(200);
    expect(await check(before)).toBe(401);
    bringBack();
    expect(await check(before)).toBe(401);
    expect((await open(phone, token)).status).toBe(200);
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
    // Events are written behind the responses, in order.
    await signIn(laptop);
    expect(await kinds()).toEqual(['signed-in', 'signed-out', 'signed-in']);
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
    await nextSecond();
    await signIn(phone);
    await expect.poll(async () => (await list()).length, { timeout: 60_000 }).toBe(2);
    const session = await getId(phone);
    const ends = Array.from({ length: 50 }, () => call(laptop.copy(), 'account/end-sessions', { session }));
    const answers = await Promise.all(ends);
    expect(answers.map(({ status }) => status)).toContain(200);
    // A 503 is allowed, because the database of a busy machine may take longer than a change waits.
    const refused = answers.filter(({ status }) => status !== 200 && status !== 503);
    expect(refused.map(({ body }) => body?.code)).toEqual([]);
    expect(await check(phone)).toBe(401);
    expect((await kinds()).filter((each) => each === 'device-signed-out')).toHaveLength(1);
  });
}
