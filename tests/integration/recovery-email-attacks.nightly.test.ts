// ASVS: 6.3.7, 6.4.3, 7.4.3, 7.5.1
// Threats: recovery-email-abused, email-change-abused, split-state
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { describe, expect, inject, test, vi } from 'vitest';
import { drainBehindResponses } from '@/lib/server/http/behind-response';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { getProvedEmail } from '@/lib/server/policy/account';
import { getRecords } from '@/lib/server/storage/records';
import { jobs, passkeys } from '@/lib/server/storage/records/schema';
import { callProvider } from '../support/accounts-client';
import { nextSecond, UNHURRIED, type CookieJar } from '../support/client';
import { codeIn, type Mail } from '../support/mail';
import { emailAfter, enterByMailbox, readEmail } from '../support/mailbox-owner';
import { linkIn, newEmail, recoveryEmails, result } from '../support/recovery-emails';
import { serveSessions } from '../support/session-app';
import { createTestUser, fetchIdToken } from '../support/test-users';

process.env.TRUSTED_PROXY_HOPS = '1';
const app = serveSessions();
vi.setConfig(UNHURRIED);
const {
  newBrowser,
  signIn,
  ask,
  add,
  change,
  confirm,
  steal,
  readRecovery,
  expectOwned,
  readMails,
  listLinks,
  undo,
  askReset,
  confirmReset,
} = recoveryEmails(app);
const undoLinks = () => listLinks(app.user.email, 'undoEmailChange');
const enter = (email = app.user.email) => enterByMailbox({ ...app, newBrowser: () => newBrowser('phone') }, email);

describe('an intruder in a session of the owner', () => {
  test('who adds a recovery email and resets the password is out after “This wasn’t me”', async () => {
    const thief = await signIn();
    const to = await add(thief);
    const [link = ''] = await undoLinks();
    const browser = newBrowser('phone');
    const mail = await askReset(browser, to);
    expect((await confirmReset(browser, mail, 'mallory-pass-2')).status).toBe(200);
    await nextSecond();
    const again = newBrowser('phone');
    await app.open(again, await fetchIdToken({ email: app.user.email, password: 'mallory-pass-2' }));
    await addPasskey();
    const waiting = newBrowser('phone');
    const later = await askReset(waiting, to);
    expect((await undo(link)).body).toEqual({ done: 'remove' });
    expect([await readRecovery(), await app.check(again), await readPasskeys()]).toEqual([undefined, 401, []]);
    await expect(fetchIdToken({ email: app.user.email, password: 'mallory-pass-2' })).rejects.toThrow();
    expect(result(await confirmReset(waiting, later, 'mallory-pass-3'))).toEqual([410, 'code-expired']);
    expect(readEmail(await askReset(newBrowser(), to)).code).toBeUndefined();
    await expectOwned();
    expect(await enter()).toBe(app.user.uid);
  });

  test.each(['adds it and then changes the email', 'changes the email and then adds it'])(
    'who %s is out by any link of the former mailbox',
    async (how) => {
      const thief = await signIn();
      const isFirst = how.startsWith('adds');
      const before = isFirst ? await add(thief) : null;
      await steal(thief);
      const to = before ?? (await add(thief));
      const links = await undoLinks();
      expect((await undo(links[0] ?? '')).body).toEqual({ done: 'restore' });
      expect(await readRecovery()).toBeUndefined();
      for (const link of links) expect((await undo(link)).status).toBe(410);
      expect(readEmail(await askReset(newBrowser(), to)).code).toBeUndefined();
      await expectOwned();
      expect(await app.check(thief)).toBe(401);
      expect(await enter()).toBe(app.user.uid);
    },
  );

  test.each([
    'A recovery email was added to your Campus account',
    'Your Campus account is about to get another email address',
    'The email address of your Campus account was changed',
  ])('who adds it and makes it the main email is out by the link of “%s”', async (title) => {
    const thief = await signIn('phone');
    await add(thief);
    expect((await change(thief, 'use')).status).toBe(200);
    await nextSecond();
    const told = (await readMails(app.user.email)).find(({ subject }) => subject === title);
    expect((await undo(linkIn(told))).body).toEqual({ done: 'restore' });
    await expectOwned();
    expect(await enter()).toBe(app.user.uid);
  });

  test('loses it by the disavowal of the sign-in, and an owner keeps an earlier one', async () => {
    await signIn();
    const thief = await signIn('phone');
    const to = await add(thief);
    const announced = (await readMails(app.user.email)).find(({ subject }) => subject === 'New sign-in to Campus');
    expect((await app.call(newBrowser(), 'actions/disavow-sign-in', { code: linkIn(announced) })).status).toBe(200);
    expect(await readRecovery()).toBeUndefined();
    const mails = await readMails(app.user.email);
    expect(mails.find(({ text }) => text.includes('Removed sign-in methods: recovery email'))).toBeDefined();
    expect((await readMails(to)).map(({ subject }) => subject)).toContain(
      'No longer the recovery email of a Campus account',
    );
  });

  test('does not take the owner’s recovery email, which gets the account back from another email', async () => {
    const laptop = await signIn();
    const own = await add(laptop);
    const thief = await signIn('phone');
    await steal(thief);
    const browser = newBrowser();
    expect((await confirmReset(browser, await askReset(browser, own), 'owner-pass-2')).status).toBe(200);
    expect(await app.check(thief)).toBe(401);
    expect(await readRecovery()).toBe(own);
  });
});

test('the recovery email’s copy of a disavowal link does not prove the email of the account', async () => {
  const laptop = await signIn();
  const to = await add(laptop);
  await signIn('phone');
  await getIdentityAdmin().setCustomUserClaims(app.user.uid, {});
  const announced = (await readMails(to)).find(({ subject }) => subject === 'New sign-in to Campus');
  expect((await app.call(newBrowser(), 'actions/disavow-sign-in', { code: linkIn(announced) })).status).toBe(200);
  const user = await getIdentityAdmin().getUser(app.user.uid);
  expect([user.email, getProvedEmail(user)]).toEqual([app.user.email, null]);
});

test('a reset by the recovery email does not confirm the email of an account', async () => {
  const laptop = await signIn();
  const to = await add(laptop);
  await getIdentityAdmin().setCustomUserClaims(app.user.uid, {});
  await getIdentityAdmin().updateUser(app.user.uid, { emailVerified: false });
  expect(readEmail(await askReset(newBrowser(), to)).code).toBeUndefined();
});

test('someone who registers the recovery email at the provider neither gets nor ends its resets', async () => {
  const laptop = await signIn();
  const to = await add(laptop);
  await callProvider({ emulatorHost: inject('emulatorHost') }, 'accounts:signUp', {
    ...{ email: to, password: 'mallory-pass-2', returnSecureToken: true },
  });
  const browser = newBrowser();
  expect((await confirmReset(browser, await askReset(browser, to), 'owner-pass-2')).status).toBe(200);
  expect([await app.check(laptop), await readRecovery()]).toEqual([401, to]);
  expect(
    (await app.open(newBrowser('phone'), await fetchIdToken({ ...app.user, password: 'owner-pass-2' }))).status,
  ).toBe(200);
});

test('the code, the link and the cookie of a request are of one account, one browser and one use', async () => {
  const laptop = await signIn();
  const to = newEmail();
  const mail = await emailAfter(to, () => ask(laptop, to));
  const stranger = newBrowser('phone');
  await app.open(stranger, await fetchIdToken(await createTestUser()));
  stranger.cookies['email-change'] = String(laptop.cookies['email-change']);
  expect(result(await confirm(stranger, codeIn(mail)))).toEqual([410, 'code-expired']);
  const copied = laptop.copy();
  delete copied.cookies.device;
  for (const attempt of [ask(copied, newEmail()), change(copied, 'remove'), change(copied, 'use')])
    expect((await attempt).status).toBeGreaterThanOrEqual(401);
  // A request for the main email ends the one for the recovery email.
  const cookie = String(laptop.cookies['email-change']);
  const main = newEmail();
  await emailAfter(main, () => app.call(laptop, 'account/email', { email: main }));
  const old = laptop.copy();
  old.cookies['email-change'] = cookie;
  expect(result(await confirm(old, codeIn(mail)))).toEqual([410, 'code-expired']);
  expect(await readRecovery()).toBeUndefined();
});

describe('at the same moment', () => {
  const uses: Record<
    string,
    (given: { laptop: CookieJar; to: string; reset: [CookieJar, Mail]; link: string }) => Promise<unknown>[]
  > = {
    'use, removal and undo': ({ laptop, link }) => [change(laptop, 'use'), change(laptop.copy(), 'remove'), undo(link)],
    'a reset by it and its removal': ({ laptop, reset }) => [
      confirmReset(...reset, 'owner-pass-2'),
      change(laptop, 'remove'),
    ],
    'its removal and a reset by it': ({ laptop, reset }) => [
      change(laptop, 'remove'),
      confirmReset(...reset, 'owner-pass-2'),
    ],
    'a reset by it and its use': ({ laptop, reset }) => [confirmReset(...reset, 'owner-pass-2'), change(laptop, 'use')],
    'its use and a deletion': ({ laptop }) => [
      change(laptop, 'use'),
      fetchIdToken(app.user).then((token) => app.call(laptop.copy(), 'account/delete', { token })),
    ],
    'its use twice': ({ laptop }) => [change(laptop, 'use'), change(laptop.copy(), 'use')],
  };
  test.each(Object.keys(uses))('%s leave one consistent account', async (name) => {
    const laptop = await signIn();
    const to = await add(laptop);
    const browser = newBrowser();
    const reset: [CookieJar, Mail] = [browser, await askReset(browser, to)];
    const [link = ''] = await undoLinks();
    await Promise.all(uses[name]?.({ laptop, to, reset, link }) ?? []);
    await drainBehindResponses();
    const user = await getIdentityAdmin().getUser(app.user.uid);
    expect([app.user.email, to]).toContain(user.email);
    expect(getProvedEmail(user)).toBe(user.email);
    expect(await readRecovery()).not.toBe(user.email);
    await nextSecond();
    expect(await enter(user.email)).toBe(app.user.uid);
  });

  test('two confirmations add one, and two accounts do not get the same', async () => {
    const laptop = await signIn();
    const other = newBrowser('phone');
    await app.open(other, await fetchIdToken(await createTestUser()));
    await nextSecond();
    const to = newEmail();
    const own = await emailAfter(to, () => ask(laptop, to));
    const theirs = await emailAfter(to, () => ask(other, to));
    const byLink = (browser: CookieJar, mail: Mail) =>
      app.call(browser, 'actions/change-email', { code: linkIn(mail) });
    const answers = await Promise.all([confirm(laptop, codeIn(own)), byLink(laptop, own), byLink(other, theirs)]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

test('copies count against no limit', async () => {
  const laptop = await signIn();
  await add(laptop);
  for (let count = 0; count < 4; count += 1) await app.signIn(newBrowser('phone'));
  const rows = await (await getRecords()).query((tx) => tx.select().from(jobs).where(eq(jobs.uid, app.user.uid)));
  const ofKind = (kind: string) => rows.filter((row) => row.kind === kind);
  expect([ofKind('new-sign-in').length, ofKind('copy-to-recovery-email').length]).toEqual([4, 4]);
});

async function addPasskey(): Promise<void> {
  const row = {
    ...{ id: randomUUID(), uid: app.user.uid, credentialId: randomUUID(), publicKey: 'key', algorithm: -7, counter: 0 },
    ...{ transports: [], aaguid: randomUUID(), backupEligible: true, backedUp: true, userVerified: true },
    ...{ rpId: 'localhost', email: app.user.email, name: null, source: 'settings', createdAt: new Date() },
  };
  await (await getRecords()).transact((tx) => tx.insert(passkeys).values(row));
}
const readPasskeys = async () =>
  (await getRecords()).query((tx) => tx.select().from(passkeys).where(eq(passkeys.uid, app.user.uid)));
