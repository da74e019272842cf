// ASVS: 6.3.7, 7.4.3, 7.5.1
// Threats: email-change-abused, enumeration
import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { describe, expect, inject, test } from 'vitest';
import { inspectEmailChange, inspectEmailUndo } from '@/lib/server/accounts/email-change';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { findById } from '@/lib/server/identity/find';
import { getRecords } from '@/lib/server/storage/records';
import { emailChanges, passkeys, sessions } from '@/lib/server/storage/records/schema';
import { lookUpAccounts } from '@/lib/server/support/look-up';
import { nextSecond, type CookieJar } from '../support/client';
import { schedule, work } from '../support/deletions';
import { codeIn, mailsTo, wrongCode, type Mail } from '../support/mail';
import { emailAfter, enterByMailbox, readEmail } from '../support/mailbox-owner';
import { serveSessions } from '../support/session-app';
import { createTestUser, fetchIdToken, fetchOrganizationIdToken } from '../support/test-users';

process.env.TRUSTED_PROXY_HOPS = '1';
const app = serveSessions();
const mailbox = { mailboxUrl: inject('mailboxUrl') };
const newEmail = () => `${randomUUID()}@new.test`;

/** Each person has a network, because these tests do not cover email budgets. */
let network = 0;
async function signInOwner(agent?: 'laptop' | 'phone') {
  const browser = app.newBrowser(agent);
  browser.headers['x-forwarded-for'] = `203.0.${String((network += 1))}.7`;
  await app.signIn(browser);
  await nextSecond();
  return browser;
}

/** Signs in again, if the account can. */
async function signInAgain() {
  const browser = app.newBrowser('phone');
  for (const password of [app.user.password, 'quiet-lantern-42'])
    await fetchIdToken({ email: app.user.email, password }).then(
      (token) => app.open(browser, token),
      () => undefined,
    );
  return browser;
}

const ask = (browser: CookieJar, email: string, more = {}) => app.call(browser, 'account/email', { email, ...more });
const confirm = (browser: CookieJar, code: string) => app.call(browser, 'account/email/confirm', { code });
const result = ({ status, body }: { status: number; body: Record<string, unknown> | null }) => [status, body?.code];
const readAccountEmail = async (uid = app.user.uid) => (await findById(uid))?.facts.email;
const readMails = async (email: string) => {
  await work(await getRecords());
  return mailsTo(mailbox, email, 0);
};
const readSubjects = async (email: string) =>
  (await readMails(email)).map(({ subject }) => subject).filter((subject) => !subject.startsWith('New sign-in'));
const askAndRead = (browser: CookieJar, to: string) => emailAfter(to, () => ask(browser, to));
const lastUndo = async (email: string): Promise<string> => {
  const mails = (await readMails(email)).filter(({ text }) => text.includes('undoEmailChange'));
  return String(readEmail(mails.at(-1) as Mail).oobCode);
};
const undo = (code: string) => app.call(app.newBrowser(), 'actions/undo-email-change', { code });
const byLink = (browser: CookieJar, mail: Mail) =>
  app.call(browser, 'actions/change-email', { code: readEmail(mail).oobCode });

const REQUESTED = 'Your Campus account is about to get another email address';
const DONE = 'The email address of your Campus account was changed';

async function addPasskey(createdAt = new Date()): Promise<void> {
  const { uid } = app.user;
  const email = (await readAccountEmail()) ?? '';
  const row = {
    ...{ id: randomUUID(), uid, credentialId: randomUUID(), publicKey: 'key', algorithm: -7, counter: 0 },
    ...{ transports: [], aaguid: randomUUID(), backupEligible: true, backedUp: true, userVerified: true },
    ...{ rpId: 'localhost', email, name: null, source: 'settings', createdAt },
  };
  await (await getRecords()).transact((tx) => tx.insert(passkeys).values(row));
}
const readPasskeys = async () =>
  (await getRecords()).query((tx) => tx.select().from(passkeys).where(eq(passkeys.uid, app.user.uid)));

describe('a change of the email', () => {
  test('takes the code of the new mailbox; this session goes on, all others end, and both mailboxes are told', async () => {
    const [laptop, phone] = [await signInOwner(), await signInOwner('phone')];
    await addPasskey();
    const to = newEmail();
    const answer = await ask(laptop, to.toUpperCase());
    expect([answer.status, answer.body]).toEqual([200, { resendAfter: 30 }]);
    const [mail] = await mailsTo(mailbox, to);
    expect(await readAccountEmail()).toBe(app.user.email);
    expect(await readSubjects(app.user.email)).toEqual([REQUESTED]);

    const done = await confirm(laptop, codeIn(mail as Mail).toLowerCase());
    expect([done.status, done.body]).toEqual([200, { customToken: expect.any(String) as string }]);
    expect(await readAccountEmail()).toBe(to);
    expect([await app.check(laptop), await app.check(phone)]).toEqual([200, 401]);
    expect((await app.call(laptop, 'check-auth-status')).body).toMatchObject({ uid: app.user.uid, email: to });
    expect((await readPasskeys()).map(({ email }) => email)).toEqual([to]);
    expect(await app.kinds()).toEqual(expect.arrayContaining(['email-changed', 'email-change-requested']));
    expect(await readSubjects(app.user.email)).toEqual([REQUESTED, DONE]);
    expect(await readSubjects(to)).toContain('Your Campus account has this email address now');
    const other = app.newBrowser('phone');
    expect((await app.open(other, await fetchIdToken({ email: to, password: app.user.password }))).status).toBe(200);
  });

  test('takes the link of the new mailbox in a session on another device, which goes on', async () => {
    const [laptop, phone] = [await signInOwner(), await signInOwner('phone')];
    const to = newEmail();
    const mail = await askAndRead(laptop, to);
    expect((await byLink(phone, mail)).status).toBe(200);
    expect([await readAccountEmail(), await app.check(laptop), await app.check(phone)]).toEqual([to, 401, 200]);
    expect(result(await byLink(phone, mail))).toEqual([410, 'action-code-invalid']);
    expect(await enterByMailbox(app, to)).toBe(app.user.uid);
  });

  test('gives no stranger the account whose mailbox has a mistyped address', async () => {
    const laptop = await signInOwner();
    const to = newEmail();
    const mail = await askAndRead(laptop, to);
    expect((await byLink(app.newBrowser(), mail)).status).toBe(401);
    const stranger = app.newBrowser('phone');
    await app.open(stranger, await fetchIdToken(await createTestUser()));
    expect(result(await byLink(stranger, mail))).toEqual([401, 'session-required']);
    expect(await readAccountEmail()).toBe(app.user.email);
    expect((await byLink(laptop, mail)).status).toBe(200);
  });

  test('is requested once: a later request ends the code and the link of an earlier one', async () => {
    const laptop = await signInOwner();
    const [first, second] = [newEmail(), newEmail()];
    const earlier = await askAndRead(laptop, first);
    const cookie = laptop.cookies['email-change'];
    const later = await askAndRead(laptop, second);
    expect(result(await byLink(laptop, earlier))).toEqual([410, 'action-code-invalid']);
    const copy = laptop.copy();
    copy.cookies['email-change'] = String(cookie);
    expect(result(await confirm(copy, codeIn(earlier)))).toEqual([410, 'code-expired']);
    expect((await confirm(laptop, codeIn(later))).status).toBe(200);
    expect(await readAccountEmail()).toBe(second);
  });

  test('is the same request for an email that has an account, whose owner is told', async () => {
    const laptop = await signInOwner();
    const other = await createTestUser();
    const free = await ask(laptop, newEmail());
    const taken = await ask(laptop, other.email);
    expect([taken.status, taken.body, Object.keys(taken.cookies)]).toEqual([
      free.status,
      free.body,
      Object.keys(free.cookies),
    ]);
    const [mail] = await mailsTo(mailbox, other.email);
    expect(mail?.subject).toBe('This email address already has a Campus account');
    expect(mail?.text).not.toMatch(/^[0-9A-Z]{6}$/m);
    for (let tries = 4; tries >= 0; tries -= 1)
      expect(await confirm(laptop, 'ABC234')).toMatchObject({
        status: 400,
        body: { code: 'code-wrong', triesLeft: tries },
      });
    expect(result(await confirm(laptop, 'ABC234'))).toEqual([410, 'code-locked']);
  });

  test('fails if the email has got an account in the meantime', async () => {
    const laptop = await signInOwner();
    const to = newEmail();
    const mail = await askAndRead(laptop, to);
    const other = await createTestUser();
    await getIdentityAdmin().updateUser(other.uid, { email: to });
    expect(result(await confirm(laptop, codeIn(mail)))).toEqual([409, 'email-taken']);
    expect(result(await byLink(laptop, mail))).toEqual([409, 'email-taken']);
    expect([await readAccountEmail(), await app.check(laptop)]).toEqual([app.user.email, 200]);
  });

  test.each([
    ['a sign-out everywhere', (browser: CookieJar) => app.call(browser, 'account/sign-out-everywhere')],
    [
      'a new password',
      (browser: CookieJar) =>
        app.call(browser, 'account/password', { current: app.user.password, password: 'quiet-lantern-42' }),
    ],
    ['an operator who disables the account', () => getIdentityAdmin().updateUser(app.user.uid, { disabled: true })],
    ['a scheduled deletion', async () => void (await schedule(await getRecords(), app.user))],
  ])('ends with %s', async (_, end) => {
    const laptop = await signInOwner();
    const to = newEmail();
    const mail = await askAndRead(laptop, to);
    await nextSecond();
    await end(laptop);
    expect((await byLink(laptop, mail)).status).toBeGreaterThanOrEqual(400);
    expect((await confirm(laptop, codeIn(mail))).status).toBeGreaterThanOrEqual(400);
    const again = await signInAgain();
    expect((await byLink(again, mail)).status).toBeGreaterThanOrEqual(400);
    expect(await getIdentityAdmin().getUsers([{ email: to }])).toMatchObject({ users: [] });
  });

  test('ends after 15 minutes', async () => {
    const laptop = await signInOwner();
    const mail = await askAndRead(laptop, newEmail());
    await (
      await getRecords()
    ).transact((tx) => tx.update(emailChanges).set({ requestedAt: sql`requested_at - interval '16 minutes'` }));
    expect(result(await confirm(laptop, codeIn(mail)))).toEqual([410, 'code-expired']);
    expect(result(await byLink(laptop, mail))).toEqual([410, 'action-code-invalid']);
  });

  test('needs the session that asked, its browser, and a recent proof', async () => {
    const laptop = await signInOwner();
    const to = newEmail();
    const mail = await askAndRead(laptop, to);
    const thief = app.newBrowser('phone');
    thief.cookies['email-change'] = String(laptop.cookies['email-change']);
    expect((await confirm(thief, codeIn(mail))).status).toBe(401);
    const stranger = await createTestUser();
    await app.open(thief, await fetchIdToken(stranger));
    expect(result(await confirm(thief, codeIn(mail)))).toEqual([410, 'code-expired']);
    expect(result(await confirm(laptop, wrongCode(codeIn(mail))))).toEqual([400, 'code-wrong']);

    const copied = laptop.copy();
    delete copied.cookies.device;
    expect((await ask(copied, newEmail())).status).toBeGreaterThanOrEqual(401);
    app.advance(360);
    expect(result(await ask(laptop, newEmail()))).toEqual([403, 'recent-login-required']);
  });

  test('is refused for an organization, a scheduled deletion, and after five requests a day', async () => {
    const laptop = await signInOwner();
    expect(result(await ask(laptop, `${randomUUID()}@acme.test`))).toEqual([409, 'email-of-organization']);
    expect(result(await ask(laptop, app.user.email))).toEqual([400, 'bad-request']);
    for (let count = 0; count < 3; count += 1) expect((await ask(laptop, newEmail())).status).toBe(200);
    expect(result(await ask(laptop, newEmail()))).toEqual([429, 'too-many-requests']);

    const email = `${randomUUID()}@acme.test`;
    const member = app.newBrowser('phone');
    expect((await app.open(member, await fetchOrganizationIdToken('saml.acme', email))).status).toBe(200);
    expect(result(await ask(member, newEmail()))).toEqual([409, 'email-managed']);
    expect(await readSubjects(email)).toEqual([]);
  });

  test('is made once by two requests at the same moment', async () => {
    const laptop = await signInOwner();
    const to = newEmail();
    const mail = await askAndRead(laptop, to);
    const answers = await Promise.all([byLink(laptop, mail), confirm(laptop, codeIn(mail)), byLink(laptop, mail)]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await readAccountEmail()).toBe(to);
    expect((await readSubjects(app.user.email)).filter((subject) => subject === DONE)).toHaveLength(1);
  });
});

test('support finds an account by the email that it had before a change', async () => {
  const laptop = await signInOwner();
  await confirm(laptop, codeIn(await askAndRead(laptop, newEmail())));
  const { accounts } = await lookUpAccounts(
    { name: 'ada', actions: ['read'] },
    { email: app.user.email, reason: 'Ticket 4711' },
  );
  expect(accounts.map(({ uid }) => uid)).toEqual([app.user.uid]);
});

describe('the link of the former mailbox', () => {
  test('cancels a change that waits, without ending a session', async () => {
    const laptop = await signInOwner();
    const to = newEmail();
    const mail = await askAndRead(laptop, to);
    const code = await lastUndo(app.user.email);
    // The former mailbox may be another person's, so its page does not name the new email.
    expect(await inspectEmailUndo(code)).toEqual({ state: 'open', email: app.user.email, kind: 'main' });
    expect(await inspectEmailChange(String(readEmail(mail).oobCode))).toEqual({
      state: 'open',
      email: to,
      kind: 'main',
    });
    expect(await undo(code)).toMatchObject({ status: 200, body: { done: 'cancel' } });
    expect(result(await confirm(laptop, codeIn(mail)))).toEqual([410, 'code-expired']);
    expect(result(await byLink(laptop, mail))).toEqual([410, 'action-code-invalid']);
    expect(result(await undo(code))).toEqual([410, 'action-code-invalid']);
    expect([await readAccountEmail(), await app.check(laptop)]).toEqual([app.user.email, 200]);
    expect(await app.kinds()).toContain('email-change-cancelled');
  });

  test.each(['of the request', 'of the change'])(
    '%s restores the email, and removes what came since',
    async (which) => {
      const laptop = await signInOwner();
      await addPasskey(new Date(Date.now() - 8 * 86_400_000));
      const to = newEmail();
      const mail = await askAndRead(laptop, to);
      const early = await lastUndo(app.user.email);
      await confirm(laptop, codeIn(mail));
      const late = await lastUndo(app.user.email);
      await addPasskey(new Date(Date.now() + 1_000));
      await nextSecond();
      expect(await undo(which === 'of the request' ? early : late)).toMatchObject({
        status: 200,
        body: { done: 'restore' },
      });
      expect([await readAccountEmail(), await app.check(laptop)]).toEqual([app.user.email, 401]);
      // The passkey from more than a week before the request stays.
      expect((await readPasskeys()).map(({ email }) => email)).toEqual([app.user.email]);
      expect((await getIdentityAdmin().getUser(app.user.uid)).providerData.map(({ providerId }) => providerId)).toEqual(
        [],
      );
      expect(await readSubjects(app.user.email)).toContain('We secured your Campus account');
      for (const code of [early, late]) expect(result(await undo(code))).toEqual([410, 'action-code-invalid']);
      expect(await enterByMailbox(app, app.user.email)).toBe(app.user.uid);
    },
  );

  test('wins over every later change, whose links end', async () => {
    const laptop = await signInOwner();
    const [second, third] = [newEmail(), newEmail()];
    await confirm(laptop, codeIn(await askAndRead(laptop, second)));
    const first = await lastUndo(app.user.email);
    await confirm(laptop, codeIn(await askAndRead(laptop, third)));
    const later = await lastUndo(second);
    await schedule(await getRecords(), { uid: app.user.uid, email: third });
    expect((await undo(first)).status).toBe(200);
    expect(await readAccountEmail()).toBe(app.user.email);
    expect(result(await undo(later))).toEqual([410, 'action-code-invalid']);
    // The intruder who changed the email has also asked for the deletion.
    expect(await app.kinds()).toContain('deletion-cancelled');
  });

  test('restores nothing for an email that another account has proved since, and nothing after a week', async () => {
    const laptop = await signInOwner();
    await confirm(laptop, codeIn(await askAndRead(laptop, newEmail())));
    const code = await lastUndo(app.user.email);
    const stranger = await enterByMailbox(app, app.user.email);
    expect(stranger).not.toBe(app.user.uid);
    expect(result(await undo(code))).toEqual([409, 'email-taken']);
    expect((await getIdentityAdmin().getUserByEmail(app.user.email)).uid).toBe(stranger);
    await (
      await getRecords()
    ).transact((tx) => tx.update(emailChanges).set({ requestedAt: sql`requested_at - interval '8 days'` }));
    expect(result(await undo(code))).toEqual([410, 'action-code-expired']);
  });

  test('completes an interrupted change by restoring the email', async () => {
    const laptop = await signInOwner();
    const to = newEmail();
    await askAndRead(laptop, to);
    const code = await lastUndo(app.user.email);
    // The process was killed after the identity provider had changed the email.
    await (await getRecords()).transact((tx) => tx.update(emailChanges).set({ doneAt: sql`now()` }));
    await getIdentityAdmin().updateUser(app.user.uid, { email: to });
    await getIdentityAdmin().setCustomUserClaims(app.user.uid, { proved_address: to });
    expect((await undo(code)).status).toBe(200);
    expect(await readAccountEmail()).toBe(app.user.email);
  });

  test('is refused if it is forged, or of another purpose', async () => {
    const laptop = await signInOwner();
    const mail = await askAndRead(laptop, newEmail());
    for (const code of ['forged', String(readEmail(mail).oobCode)])
      expect(result(await undo(code))).toEqual([410, 'action-code-invalid']);
    expect(result(await app.call(laptop, 'actions/change-email', { code: await lastUndo(app.user.email) }))).toEqual([
      410,
      'action-code-invalid',
    ]);
    const live = await (
      await getRecords()
    ).query((tx) => tx.select().from(sessions).where(eq(sessions.uid, app.user.uid)));
    expect(live.filter(({ endedAt }) => endedAt === null)).toHaveLength(1);
  });
});
