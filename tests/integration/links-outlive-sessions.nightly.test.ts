// Threats: forged-disavowal, planted-factor, planted-passkey
// A link or answer that undoes a sign-in is kept, and used after its session has ended or the account has changed.
import { expect, inject, test } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { getRecords } from '@/lib/server/storage/records';
import { countChanges, holdAccountLock } from '../support/account-lock';
import { nextSecond, type CookieJar } from '../support/client';
import { work } from '../support/deletions';
import { linksIn, mailsTo, readMailbox } from '../support/mail';
import { serveSecondFactor } from '../support/second-factor-app';
import { SoftwareAuthenticator } from '../support/software-authenticator';

const app = serveSecondFactor();
const { call, newBrowser, check } = app;
const mailbox = { mailboxUrl: inject('mailboxUrl') };

const subjects = { link: 'New sign-in to Campus', again: "Confirm that a Campus sign-in wasn't you" };
const undone = 'We undid a sign-in to your Campus account';
async function readSubjects(): Promise<string[]> {
  await work(await getRecords());
  return (await readMailbox(mailbox, app.user.email)).map(({ subject }) => subject);
}
/** Returns the code of the last link of this kind. */
async function readLink(kind: keyof typeof subjects): Promise<string> {
  const subject = subjects[kind];
  await expect.poll(readSubjects).toContain(subject);
  const mail = (await readMailbox(mailbox, app.user.email)).findLast((each) => each.subject === subject);
  return new URL(linksIn(mail ?? { text: '' })[0] ?? '').searchParams.get('oobCode') ?? '';
}

/** Signs in the owner on a laptop and later on a phone. The laptop is asked about the phone. */
async function useTwoBrowsers() {
  const [laptop, phone] = [newBrowser(), newBrowser('phone')];
  await app.signIn(laptop);
  await nextSecond();
  await app.signIn(phone);
  const session = await app.getId(phone);
  return { laptop, phone, session };
}
const deny = (by: CookieJar, session: string) => call(by, 'account/check-sign-in', { session, isOwn: false });
const post = (by: CookieJar, code: unknown) => call(by, 'actions/disavow-sign-in', { code });

/** Turns on the second factor in a signed-in browser. */
async function turnOn(browser: CookieJar) {
  const begun = await app.begin(browser);
  await nextSecond();
  await app.post(browser, 'confirm-codes', { recoveryCode: begun.codes[0] });
  return begun;
}

type Way = (phone: CookieJar, laptop: CookieJar) => Promise<unknown>;
const password = async (phone: CookieJar) => {
  const { body } = await call(phone, 'account/password', {
    current: app.user.password,
    password: 'staple-battery-9',
  });
  expect(body).toMatchObject({ signedIn: true });
};
const laptopId = (laptop: CookieJar) => app.getId(laptop);
/** Causes that end the laptop's session. `revokes`: the cause also revokes all earlier sign-ins of the account. */
const WAYS: Record<string, { revokes: boolean; end: Way }> = {
  'the second factor was turned on': { revokes: true, end: turnOn },
  'all other devices were signed out': {
    revokes: true,
    end: (phone) => call(phone, 'account/end-sessions', { others: true }),
  },
  'everything was signed out': {
    revokes: true,
    end: async (phone) => {
      expect((await call(phone, 'account/sign-out-everywhere')).status).toBe(200);
      await nextSecond();
      await app.signIn(phone);
    },
  },
  'the password was changed': { revokes: true, end: password },
  'the laptop was signed out from the phone': {
    revokes: false,
    end: async (phone, laptop) =>
      expect((await call(phone, 'account/end-sessions', { session: await laptopId(laptop) })).status).toBe(200),
  },
  'the laptop signed out': { revokes: false, end: (_, laptop) => call(laptop, 'initiate-logout') },
};
const cases = Object.entries(WAYS).map(([name, way]) => ({ name, ...way }));

test.each(cases)('an answer that was kept does nothing after $name', async ({ end }) => {
  const { laptop, phone, session } = await useTwoBrowsers();
  const { status, body } = await deny(laptop, session);
  expect([status, typeof body?.code]).toEqual([200, 'string']);
  const before = laptop.copy();
  const key = new SoftwareAuthenticator();
  expect((await app.add(phone, key)).status).toBe(200);
  await nextSecond();
  await end(phone, laptop);
  const state = await app.read();
  for (const thief of [newBrowser(), before, laptop, phone]) {
    const answer = await post(thief, body?.code);
    expect([answer.status, answer.body?.code]).toEqual([410, 'action-code-invalid']);
  }
  expect(await app.stored()).toHaveLength(1);
  expect(await app.read()).toEqual(state);
  expect(await check(phone)).toBe(200);
  expect(await readSubjects()).not.toContain(undone);
});

test('an answer is of no use without its session while that is live, nor later than 15 minutes', async () => {
  const { laptop, phone, session } = await useTwoBrowsers();
  const { body } = await deny(laptop, session);
  const copied = newBrowser();
  Object.assign(copied.cookies, laptop.cookies, { device: 'x'.repeat(43) });
  for (const thief of [newBrowser(), phone, copied])
    expect((await post(thief, body?.code)).body?.code).toBe('action-code-invalid');
  app.advance(15 * 60 + 5);
  expect((await post(laptop, body?.code)).body?.code).toBe('action-code-expired');
  expect((await deny(laptop, session)).body?.code).toBe('recent-login-required');
});

test('an answer whose session is revoked between the press and its turn does nothing', async () => {
  const { laptop, phone, session } = await useTwoBrowsers();
  expect((await app.add(phone)).status).toBe(200);
  const { body } = await deny(laptop, session);
  await nextSecond();
  const endChange = await holdAccountLock(app.user.uid);
  const pressed = post(laptop, body?.code);
  // The request was judged once, and waits.
  await expect.poll(() => countChanges(app.user.uid)).toBe(2);
  await getIdentityAdmin().revokeRefreshTokens(app.user.uid);
  await endChange();
  expect((await pressed).body?.code).toBe('action-code-invalid');
  expect(await app.stored()).toHaveLength(1);
  expect(await readSubjects()).not.toContain(undone);
});

test('an answer undoes the sign-in with its session, and the owner is told', async () => {
  const { laptop, phone, session } = await useTwoBrowsers();
  expect((await app.add(phone)).status).toBe(200);
  const { body } = await deny(laptop, session);
  expect(await post(laptop, body?.code)).toMatchObject({ status: 200, body: { email: app.user.email } });
  expect([await check(phone), await app.stored()]).toEqual([401, []]);
  await expect.poll(readSubjects).toContain(undone);
});

test.each(cases.filter(({ revokes }) => revokes))(
  'an emailed link from before changes nothing after $name, until its mailbox is read again',
  async ({ name, end }) => {
    const { laptop, phone } = await useTwoBrowsers();
    const code = await readLink('link');
    const key = new SoftwareAuthenticator();
    expect((await app.add(phone, key)).status).toBe(200);
    await nextSecond();
    await end(phone, laptop);
    const state = await app.read();
    for (let times = 0; times < 2; times += 1)
      expect(await post(newBrowser(), code)).toMatchObject({ status: 200, body: { email: null, asksMailbox: true } });
    expect(await app.read()).toEqual(state);
    expect(await app.stored()).toHaveLength(1);
    expect(await check(phone)).toBe(200);
    const again = await readLink('again');
    // There is one email, however often the old link is pressed.
    expect((await readSubjects()).filter((subject) => subject === subjects.again)).toHaveLength(1);
    expect(await post(newBrowser(), again)).toMatchObject({ status: 200, body: { email: app.user.email } });
    expect([await check(phone), await app.stored()]).toEqual([401, []]);
    // The last second factor stays, and the account still requires it.
    expect((await app.read()).apps).toHaveLength(name.includes('factor') ? 1 : 0);
    await expect.poll(readSubjects).toContain(undone);
  },
);

test('a link that was emailed again works for 15 minutes', async () => {
  const { phone } = await useTwoBrowsers();
  const code = await readLink('link');
  await nextSecond();
  await password(phone);
  await post(newBrowser(), code);
  const again = await readLink('again');
  app.advance(15 * 60 + 5);
  expect((await post(newBrowser(), again)).body?.code).toBe('action-code-expired');
  expect(await check(phone)).toBe(200);
});

test('a disavowal takes what the browser of the sign-in has added, and leaves what others have added', async () => {
  const { laptop, phone } = await useTwoBrowsers();
  const code = await readLink('link');
  await nextSecond();
  const [own, planted] = [new SoftwareAuthenticator(), new SoftwareAuthenticator()];
  expect((await app.add(phone, planted)).status).toBe(200);
  expect((await app.add(laptop, own)).status).toBe(200);
  const tablet = newBrowser('phone');
  await app.signIn(tablet);
  expect((await app.add(tablet)).status).toBe(200);
  expect(await post(newBrowser(), code)).toMatchObject({ status: 200, body: { email: app.user.email } });
  expect(await app.stored()).toHaveLength(2);
  app.expectCode(await app.use(newBrowser(), planted), 404, 'passkey-unknown');
  await nextSecond();
  expect((await app.use(newBrowser(), own)).status).toBe(200);
  await expect.poll(readSubjects).toContain(undone);
  const mails = await mailsTo(mailbox, app.user.email);
  expect(mails.find(({ subject }) => subject === undone)?.text).toContain('Removed sign-in methods: passkey.');
});

test('of the second factor, a disavowal takes an app and codes of that browser, and leaves those of the owner', async () => {
  const { laptop, app: software, codeAt, codes } = await app.enrol();
  const phone = newBrowser('phone');
  await nextSecond();
  await app.begun(phone);
  expect((await app.show(phone, { code: codeAt() })).status).toBe(200);
  const { secret } = await app.post(phone, 'add-app');
  const { SoftwareApp } = await import('../support/totp');
  const planted = new SoftwareApp(secret);
  await app.post(phone, 'confirm-app', { code: planted.codeAt(Math.floor(Date.now() / 30_000)) });
  expect((await app.read()).apps).toHaveLength(2);
  const code = await readLink('link');
  expect(await post(newBrowser(), code)).toMatchObject({ status: 200, body: { email: app.user.email } });
  const left = await app.read();
  expect([left.apps.length, left.codes.length]).toEqual([1, codes.length]);
  expect([await check(phone), await check(laptop)]).toEqual([401, 401]);
  // The owner signs in with a code of the app that stayed.
  app.advance(30);
  const again = newBrowser();
  await app.begun(again);
  expect((await app.show(again, { code: software.codeAt(Math.floor(Date.now() / 30_000)) })).status).toBe(200);
});

test('a sign-in link that was asked for before a revocation opens nothing after it', async () => {
  const { phone } = await useTwoBrowsers();
  const { email } = app.user;
  expect((await call(phone, 'email-link', { email })).status).toBe(200);
  const [mail] = (await mailsTo(mailbox, email)).filter(({ subject }) => subject === 'Your Campus sign-in link');
  const code = new URL(linksIn(mail ?? { text: '' })[0] ?? '').searchParams.get('oobCode');
  await nextSecond();
  expect((await call(phone, 'account/sign-out-everywhere')).status).toBe(200);
  const thief = newBrowser();
  app.expectCode(await call(thief, 'actions/sign-in', { code, email }), 410, 'action-code-invalid');
  expect((await getIdentityAdmin().getUser(app.user.uid)).emailVerified).toBe(true);
});
