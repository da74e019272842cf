import { eq, sql } from 'drizzle-orm';
import { expect, inject, test, vi } from 'vitest';
import { sealDeletionLink, sealDisavowalLink } from '@/lib/server/codes/links';
import { PROVED_ADDRESS_CLAIM } from '@/lib/server/policy/account';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { getRecords } from '@/lib/server/storage/records';
import { jobs } from '@/lib/server/storage/records/schema';
import { inspectDisavowalLink, listUncheckedSignIns } from '@/lib/server/accounts/disavow';
import { nextSecond, type CookieJar } from './client';
import { emailJobs } from '@/lib/server/notifications/outbox/send-due';
import { runJobs } from '@/lib/server/storage/records/jobs';
import { work } from './deletions';
import { linksIn, mailsTo, readMailbox } from './mail';
import { serveSessions } from './session-app';
import { idpResponse, tokenBy } from './accounts-client';
import { createTestUser, fetchIdToken } from './test-users';

const mailbox = { mailboxUrl: inject('mailboxUrl') };

/** Tests of emails about sign-ins on new browsers, and of their links, on one kind of database. */
export function testSignInAlerts(): void {
  const app = serveSessions();
  const { newBrowser, call, open, signIn, check, kinds, list, getId, advance, moveBack } = app;

  /** Reads the emails to the test's user after all due emails were sent. */
  const readMails = async (count: number) => {
    await work(await getRecords());
    const read = async () => {
      const mails = await readMailbox(mailbox, app.user.email);
      return mails.filter(({ subject }) => subject === 'New sign-in to Campus');
    };
    await expect.poll(async () => (await read()).length).toBe(count);
    return read();
  };
  const readCode = async (count = 1) => {
    const [link = ''] = linksIn((await readMails(count)).at(-1) ?? { text: '' });
    const { searchParams, pathname } = new URL(link);
    expect([pathname, searchParams.get('mode')]).toEqual(['/actions', 'disavowSignIn']);
    return searchParams.get('oobCode') ?? '';
  };
  const disavow = (code: string, browser = newBrowser()) => call(browser, 'actions/disavow-sign-in', { code });
  /** Disavows twice. After a change of the account, the first link only causes another email. */
  const disavowTwice = async (code: string) => {
    expect((await disavow(code)).body).toMatchObject({ asksMailbox: true });
    await work(await getRecords());
    const again = (await readMailbox(mailbox, app.user.email)).find(({ subject }) => subject.startsWith('Confirm'));
    const link = new URL(linksIn(again ?? { text: '' })[0] ?? '');
    expect(await disavow(link.searchParams.get('oobCode') ?? '')).toMatchObject({ body: { email: app.user.email } });
  };
  /** Signs in the owner on a laptop, and a second later an intruder on a phone. */
  const intrude = async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    await signIn(laptop);
    await nextSecond();
    await signIn(phone);
    return { laptop, phone, code: await readCode() };
  };
  const connect = (providerId: string) => {
    const { uid, email } = app.user;
    return getIdentityAdmin().updateUser(uid, { providerToLink: { providerId, uid, email } });
  };
  const readMethods = async () =>
    (await getIdentityAdmin().getUser(app.user.uid)).providerData.map(({ providerId }) => providerId).sort();

  test('the first browser is silent, a new one is announced once, and what was sent is forgotten', async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    await signIn(laptop);
    await signIn(laptop);
    await readMails(0);
    const before = Date.now();
    await signIn(phone);
    const [mail] = await readMails(1);
    expect(mail?.text).toContain('Device: Chrome on Android');
    const when = /^When: (.+)$/m.exec(mail?.text ?? '')?.[1] ?? '';
    expect(Math.abs(Date.parse(when.replace(' at', '')) - before)).toBeLessThanOrEqual(60_000);
    // Another sign-in comes from another network.
    phone.headers['x-forwarded-for'] = '203.0.113.77';
    await nextSecond();
    await signIn(phone);
    await signIn(laptop);
    await readMails(1);
    const rows = await (await getRecords()).transact((tx) => tx.select().from(jobs));
    expect(rows.filter(({ uid }) => uid === app.user.uid)).toMatchObject([{ kind: 'new-sign-in', body: null }]);
  });

  test('a shared computer is announced each time that its browser was closed: it keeps nothing by which it is known', async () => {
    await signIn(newBrowser());
    for (const agent of ['laptop', 'phone'] as const) {
      const shared = newBrowser(agent);
      shared.cookies['shared-computer'] = '1';
      await nextSecond();
      await signIn(shared);
    }
    await readMails(2);
  });

  test('opening the link shows the sign-in and changes nothing', async () => {
    const { laptop, phone, code } = await intrude();
    const shown = [await inspectDisavowalLink(code), await inspectDisavowalLink(code)];
    const signedIn = { state: 'open', browser: 'Chrome', system: 'Android' };
    expect(shown).toMatchObject([signedIn, signedIn]);
    expect([await check(laptop), await check(phone)]).toEqual([200, 200]);
  });

  const readChecks = async (browser: CookieJar) =>
    listUncheckedSignIns(await getRecords(), { uid: app.user.uid, sid: browser.cookies.kk_sid ?? '' }, new Date());
  const answer = (browser: CookieJar, session: string, isOwn: boolean) =>
    call(browser, 'account/check-sign-in', { session, isOwn });

  test('a browser that was known before is asked whose sign-in it was, and the new one never', async () => {
    const { laptop, phone } = await intrude();
    await nextSecond();
    const later = newBrowser();
    await signIn(later);
    await readMails(2);
    const [second, first] = await readChecks(laptop);
    expect(first).toMatchObject({ browser: 'Chrome', system: 'Android' });
    // This browser is new and may be the intruder's. It must not answer for the owner about later sign-ins either.
    expect(await readChecks(phone)).toEqual([]);
    expect(await readChecks(later)).toEqual([]);
    // Neither the intruder nor another account may answer for the owner.
    const stranger = newBrowser();
    await open(stranger, await fetchIdToken(await createTestUser()));
    for (const [browser, id] of [phone, later, stranger].flatMap((each) =>
      [first, second].map((one) => [each, one?.id ?? ''] as const),
    )) {
      expect(await answer(browser, id, true)).toMatchObject({ status: 200, body: {} });
      expect((await answer(browser, id, false)).status).toBe(404);
    }
    expect(await readChecks(laptop)).toHaveLength(2);
    expect((await answer(newBrowser(), first?.id ?? '', true)).status).toBe(401);

    expect((await answer(laptop, second?.id ?? '', true)).status).toBe(200);
    expect((await readChecks(laptop)).map(({ id }) => id)).toEqual([first?.id]);
    // The browser now belongs to the owner and is older than the next.
    await nextSecond();
    await signIn(newBrowser('phone'));
    expect(await readChecks(later)).toHaveLength(1);
    expect(await readChecks(phone)).toEqual([]);
    const { body } = await answer(laptop, first?.id ?? '', false);
    expect((await disavow(String(body?.code), laptop)).status).toBe(200);
    expect([await check(laptop), await check(phone)]).toEqual([401, 401]);
    await nextSecond();
    await signIn(laptop);
    expect(await readChecks(laptop)).toEqual([]);
  });

  test('"This wasn\'t me" corrects "It was me" for a minute, from the browsers that were asked alone', async () => {
    const { laptop, phone } = await intrude();
    const id = await getId(phone);
    expect((await answer(laptop, id, true)).status).toBe(200);
    expect(await readChecks(laptop)).toEqual([]);
    expect((await answer(phone, id, false)).status).toBe(404);
    const { status, body } = await answer(laptop, id, false);
    expect(status).toBe(200);
    advance(61);
    expect((await answer(laptop, id, false)).status).toBe(404);
    vi.useRealTimers();
    expect((await disavow(String(body?.code), laptop)).status).toBe(200);
    expect([await check(laptop), await check(phone)]).toEqual([401, 401]);
  });

  test('an intruder who ends the session of a new browser from another one is asked about all the same', async () => {
    const { laptop, phone } = await intrude();
    await nextSecond();
    const tablet = newBrowser('phone');
    await signIn(tablet);
    expect((await call(tablet, 'account/end-sessions', { session: await getId(phone) })).status).toBe(200);
    expect(await readChecks(laptop)).toHaveLength(2);
  });

  test('an intruder does not disavow what is his, nor uses up the emails about the next sign-in', async () => {
    const { laptop, phone } = await intrude();
    const others = Array.from({ length: 4 }, () => newBrowser('phone'));
    await nextSecond();
    for (const other of others) await signIn(other);
    await readMails(5);
    const id = await getId(others.at(-1) ?? phone);
    expect((await answer(phone, id, false)).status).toBe(404);
    // The owner disavows one of the five. The password is unchanged.
    const { body } = await answer(laptop, id, false);
    expect((await disavow(String(body?.code), laptop)).status).toBe(200);
    await nextSecond();
    await signIn(newBrowser('phone'));
    const code = await readCode(6);
    expect(await inspectDisavowalLink(code)).toMatchObject({ state: 'open' });
  });

  test('a sign-in of 10 days ago is not asked about', async () => {
    const { laptop } = await intrude();
    expect(await readChecks(laptop)).toHaveLength(1);
    expect(
      await listUncheckedSignIns(
        await getRecords(),
        { uid: app.user.uid, sid: laptop.cookies.kk_sid ?? '' },
        new Date(Date.now() + 10 * 86_400_000),
      ),
    ).toEqual([]);
  });

  test('disavowing ends all sessions and tokens, creates no session, and is done once', async () => {
    const { laptop, phone, code } = await intrude();
    const token = await fetchIdToken(app.user);
    const renewed = phone.copy();
    const answers = await Promise.all([1, 2, 3].map(() => disavow(code)));
    expect(answers.map(({ status, cookies }) => [status, Object.keys(cookies)])).toEqual(answers.map(() => [200, []]));
    expect([await check(laptop), await check(phone)]).toEqual([401, 401]);
    expect((await call(renewed, 'renew-user-session')).status).toBe(401);
    expect((await open(phone, token)).status).toBe(401);
    expect((await open(newBrowser('phone'), token)).status).toBe(401);
    expect(await inspectDisavowalLink(code)).toEqual({ state: 'done' });
    expect((await disavow(code)).status).toBe(200);
    await expect.poll(async () => (await list()).length).toBe(0);
    expect((await kinds()).filter((each) => each === 'sign-in-disavowed')).toHaveLength(1);
  });

  test('the browser that disavows is signed out with its account, and not with another one', async () => {
    const { laptop, code } = await intrude();
    const stranger = newBrowser();
    expect((await open(stranger, await fetchIdToken(await createTestUser()))).status).toBe(200);
    await call(stranger, 'actions/disavow-sign-in', { code });
    expect(await check(stranger)).toBe(200);
    const { cookies } = await call(laptop, 'actions/disavow-sign-in', { code });
    expect(cookies['_secure-user-session']?.value).toBe('');
    expect(cookies.kk_logged_in?.value).toBe('0');
  });

  test('all browsers are forgotten: a sign-in there is announced again', async () => {
    const { laptop, phone, code } = await intrude();
    await disavow(code);
    await nextSecond();
    await signIn(laptop);
    await readMails(2);
    await signIn(phone);
    const again = await readCode(3);
    expect(again).not.toBe(code);
    expect(await inspectDisavowalLink(again)).toMatchObject({ state: 'open' });
    // The link of the first sign-in does not end the new session.
    expect((await disavow(code)).status).toBe(200);
    expect(await check(phone)).toBe(200);
  });

  test('an email changed at the identity provider is restored, also of an account that never proved one here', async () => {
    const { uid, email } = app.user;
    await connect('google.com');
    const { code } = await intrude();
    await getIdentityAdmin().updateUser(uid, { email: `intruder-${email}` });
    expect((await disavow(code)).status).toBe(200);
    const restored = await getIdentityAdmin().getUser(uid);
    expect([restored.email, restored.emailVerified, restored.customClaims?.[PROVED_ADDRESS_CLAIM]]).toEqual([
      email,
      true,
      email,
    ]);
    // The password may be the intruder's. The owner's own identity stays.
    expect(await readMethods()).toEqual(['google.com']);
  });

  test('the link of a sign-in before the disavowed one does nothing more', async () => {
    const { code } = await intrude();
    await nextSecond();
    await signIn(newBrowser('phone'));
    const second = await readCode(2);
    expect((await disavow(code)).status).toBe(200);
    await nextSecond();
    const laptop = newBrowser();
    await signIn(laptop);
    await connect('google.com');
    // This is another browser's link. After the first disavowal, it only causes another email.
    expect(await inspectDisavowalLink(second)).toMatchObject({ state: 'open' });
    expect(await disavow(second)).toMatchObject({ status: 200, body: { email: null, asksMailbox: true } });
    expect(await check(laptop)).toBe(200);
    expect(await readMethods()).toEqual(['google.com', 'password']);
  });

  test('an account gets at most five such emails in an hour', async () => {
    const token = await fetchIdToken(app.user);
    for (let browsers = 0; browsers < 8; browsers += 1) expect((await open(newBrowser(), token)).status).toBe(200);
    await readMails(5);
  });

  test('a new browser is in question, and asked about none, also when its sign-in was not emailed any more', async () => {
    const laptop = newBrowser();
    await signIn(laptop);
    await nextSecond();
    const token = await fetchIdToken(app.user);
    const intruders = Array.from({ length: 7 }, () => newBrowser('phone'));
    for (const browser of intruders) expect((await open(browser, token)).status).toBe(200);
    await readMails(5);
    const [last = laptop] = intruders.slice(-1);
    const sessionOfLast = await getId(last);
    expect((await readChecks(laptop)).map(({ id }) => id)).toContain(sessionOfLast);
    // An hour later, the owner signs in on another new browser.
    const isOwn = eq(jobs.uid, app.user.uid);
    const anHourAgo = sql`now() - interval '61 minutes'`;
    await (await getRecords()).transact((tx) => tx.update(jobs).set({ createdAt: anHourAgo }).where(isOwn));
    await nextSecond();
    const tablet = newBrowser();
    await signIn(tablet);
    await readMails(6);
    const sessionOfTablet = await getId(tablet);
    for (const browser of intruders) {
      expect(await readChecks(browser)).toEqual([]);
      expect((await answer(browser, sessionOfTablet, false)).status).toBe(404);
      expect((await answer(browser, sessionOfTablet, true)).body).toEqual({});
    }
    expect((await readChecks(laptop)).map(({ id }) => id)).toContain(sessionOfTablet);
    // The owner disavows a sign-in without an email.
    const { body } = await answer(laptop, sessionOfLast, false);
    expect((await disavow(String(body?.code), laptop)).status).toBe(200);
    expect(await check(last)).toBe(401);
  });

  test('sign-in methods connected since are disconnected, those from before stay', async () => {
    await connect('facebook.com');
    const { code } = await intrude();
    await connect('google.com');
    await disavow(code);
    expect(await readMethods()).toEqual(['facebook.com', 'password']);
    const removed = ['method-disconnected', 'sign-in-disavowed'];
    await expect.poll(async () => (await kinds()).slice(0, 2).sort()).toEqual(removed);
  });

  test('the link of a sign-in leaves what another browser has added, whose own link takes it', async () => {
    const { phone, code } = await intrude();
    await connect('google.com');
    await nextSecond();
    await signIn(phone);
    await nextSecond();
    await signIn(newBrowser());
    const newest = await readCode(2);
    await disavow(newest);
    expect(await readMethods()).toEqual(['google.com', 'password']);
    await disavowTwice(code);
    expect(await readMethods()).toEqual(['password']);
    await nextSecond();
    await signIn(phone);
    await readMails(3);
  });

  test('an identity that replaced the one of the owner at the same provider is disconnected', async () => {
    const link = async (sub: string, email: string) => {
      const idToken = await fetchIdToken(app.user);
      await tokenBy({ emulatorHost: inject('emulatorHost') }, 'signInWithIdp', {
        idToken,
        ...idpResponse('google.com', { sub, email, email_verified: true }),
      });
    };
    const sub = app.user.uid;
    await link(`own-${sub}`, app.user.email);
    const { code } = await intrude();
    await getIdentityAdmin().updateUser(sub, { providersToUnlink: ['google.com'] });
    await link(`evil-${sub}`, `evil-${sub}@mallory.test`);
    expect(await readMethods()).toEqual(['google.com', 'password']);
    await disavow(code);
    expect(await readMethods()).toEqual(['password']);
  });

  test('an email that was changed at the provider is the proved one again', async () => {
    const { code } = await intrude();
    const { uid, email } = app.user;
    await getIdentityAdmin().updateUser(uid, { email: `evil-${uid}@mallory.test` });
    await getIdentityAdmin().setCustomUserClaims(uid, { [PROVED_ADDRESS_CLAIM]: email });
    expect((await disavow(code)).status).toBe(200);
    expect(await getIdentityAdmin().getUser(uid)).toMatchObject({ email, emailVerified: true });
  });

  test('second factors enrolled at the provider since are removed', async () => {
    const { code } = await intrude();
    const { uid } = app.user;
    const factor = { uid: `factor-${uid}`, factorId: 'phone', phoneNumber: '+15555550100' };
    await getIdentityAdmin().updateUser(uid, { multiFactor: { enrolledFactors: [factor] } });
    expect((await getIdentityAdmin().getUser(uid)).multiFactor?.enrolledFactors).toHaveLength(1);
    expect((await disavow(code)).status).toBe(200);
    expect((await getIdentityAdmin().getUser(uid)).multiFactor?.enrolledFactors ?? []).toEqual([]);
  });

  test('a method connected before the sign-in of the intruder, and seen since, stays', async () => {
    const laptop = newBrowser();
    await signIn(laptop);
    await connect('google.com');
    await nextSecond();
    await signIn(laptop);
    await moveBack('events', 'at');
    await nextSecond();
    await signIn(newBrowser('phone'));
    await disavow(await readCode());
    expect(await readMethods()).toEqual(['google.com', 'password']);
  });

  test('a deletion that the intruder has requested is canceled', async () => {
    const { phone, code } = await intrude();
    const token = await fetchIdToken(app.user);
    expect((await call(phone, 'account/delete', { token })).status).toBe(200);
    await disavowTwice(code);
    expect(await kinds()).toContain('deletion-cancelled');
  });

  test('what the intruder adds is undone also where the clock of its sign-in was four seconds ahead', async () => {
    const { phone, code } = await intrude();
    await connect('google.com');
    await nextSecond();
    await signIn(phone);
    expect((await call(phone, 'account/delete', { token: await fetchIdToken(app.user) })).status).toBe(200);
    expect(await kinds()).toContain('method-connected');
    await moveBack('deletions', 'requested_at', 4);
    await moveBack('events', 'at', 4);
    await disavowTwice(code);
    expect(await kinds()).toContain('deletion-cancelled');
    expect(await readMethods()).toEqual(['password']);
  });

  test('a deletion that the owner has requested before is not', async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    await signIn(laptop);
    const token = await fetchIdToken(app.user);
    await open(laptop, token);
    expect((await call(laptop, 'account/delete', { token })).status).toBe(200);
    await moveBack('deletions', 'requested_at');
    await nextSecond();
    await signIn(phone);
    const records = await getRecords();
    await runJobs(records, emailJobs);
    const mails = await mailsTo(mailbox, app.user.email, 2);
    const [link = ''] = mails.filter(({ subject }) => subject.startsWith('New sign-in')).flatMap(linksIn);
    expect((await disavow(new URL(link).searchParams.get('oobCode') ?? '')).status).toBe(200);
    expect(await check(phone)).toBe(401);
    expect(await kinds()).not.toContain('deletion-cancelled');
  });

  test('a link that is forged, foreign, of another purpose or too old does nothing', async () => {
    const { laptop, phone, code } = await intrude();
    const [one] = await list();
    const session = one?.id ?? '';
    const [uid, at] = [app.user.uid, new Date().toISOString()];
    const stranger = await createTestUser();
    for (const forged of [
      'x',
      `${code.slice(0, -4)}AAAA`,
      await sealDeletionLink({ uid, deletion: session, effectiveAt: at }),
      await sealDisavowalLink({ uid: stranger.uid, session, at, to: '' }),
      await sealDisavowalLink({ uid, session: '00000000-0000-4000-8000-000000000000', at, to: '' }),
    ]) {
      expect(await inspectDisavowalLink(forged)).toEqual({ state: 'invalid' });
      expect((await disavow(forged)).body?.code).toBe('action-code-invalid');
    }
    advance(10 * 86_400 + 60);
    expect(await inspectDisavowalLink(code)).toEqual({ state: 'expired' });
    expect((await disavow(code)).body?.code).toBe('action-code-expired');
    vi.useRealTimers();
    expect([await check(laptop), await check(phone)]).toEqual([200, 200]);
  });

  test('the link of an account that was deleted is invalid', async () => {
    const { code } = await intrude();
    await getIdentityAdmin().deleteUser(app.user.uid);
    expect((await disavow(code)).body?.code).toBe('action-code-invalid');
  });

  test('a browser is not known by the cookie of another account', async () => {
    const shared: CookieJar = newBrowser();
    const other = await createTestUser();
    expect((await open(shared, await fetchIdToken(other))).status).toBe(200);
    await signIn(newBrowser('phone'));
    await nextSecond();
    await signIn(shared);
    await readMails(1);
  });
}
