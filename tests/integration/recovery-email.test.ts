// ASVS: 6.3.7, 6.4.3, 7.4.3, 7.5.1
// Threats: recovery-email-abused, enumeration
import { randomUUID } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import { inspectEmailChange, inspectEmailUndo } from '@/lib/server/accounts/email-change';
import { collectAccountData } from '@/lib/server/accounts/data';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { findById } from '@/lib/server/identity/find';
import { getRecords } from '@/lib/server/storage/records';
import { lookUpAccounts } from '@/lib/server/support/look-up';
import { moveAccount } from '@/lib/server/support/move';
import { nextSecond, type CookieJar } from '../support/client';
import { letPass, work } from '../support/deletions';
import { codeIn, mailsTo, type Mail } from '../support/mail';
import { emailAfter, enterByMailbox, readEmail } from '../support/mailbox-owner';
import { linkIn, newEmail, recoveryEmails, result } from '../support/recovery-emails';
import { serveSessions } from '../support/session-app';
import { createTestUser, fetchIdToken, fetchOrganizationIdToken } from '../support/test-users';

process.env.TRUSTED_PROXY_HOPS = '1';
const app = serveSessions();
const mailbox = { mailboxUrl: inject('mailboxUrl') };
const {
  newBrowser,
  signIn,
  ask,
  add,
  change,
  confirm,
  readRecovery,
  readMails,
  readSubjects,
  lastLink,
  undo,
  askReset,
  confirmReset,
} = recoveryEmails(app);

const readMain = async (uid = app.user.uid) => (await findById(uid))?.facts.email;
const signInBy = async (email: string, password: string) =>
  (await app.open(newBrowser('phone'), await fetchIdToken({ email, password }))).status;

const ADDED = 'A recovery email was added to your Campus account';
const REMOVED = 'The recovery email of your Campus account was removed';
const GONE = 'No longer the recovery email of a Campus account';
const REQUESTED = 'Your Campus account is about to get another email address';
const CHANGED = 'The email address of your Campus account was changed';
const PASSWORD = 'Your Campus password was changed';

describe('a recovery email', () => {
  test('takes the code of its mailbox, ends no session, and the first mailbox is told', async () => {
    const [laptop, phone] = [await signIn(), await signIn('phone')];
    const to = newEmail();
    const answer = await ask(laptop, to.toUpperCase());
    expect([answer.status, answer.body]).toEqual([200, { resendAfter: 30 }]);
    const [mail] = await mailsTo(mailbox, to);
    expect(await app.kinds()).toContain('recovery-email-requested');
    expect([await readRecovery(), await readSubjects(app.user.email)]).toEqual([
      undefined,
      expect.not.arrayContaining([ADDED]),
    ]);

    const done = await confirm(laptop, codeIn(mail as Mail));
    expect([done.status, done.body]).toEqual([200, {}]);
    expect([await readRecovery(), await readMain()]).toEqual([to, app.user.email]);
    expect([await app.check(laptop), await app.check(phone)]).toEqual([200, 200]);
    expect(await app.kinds()).toContain('recovery-email-added');
    expect(await readSubjects(app.user.email)).toContain(ADDED);
    expect(await readSubjects(to)).toHaveLength(1);
    const { accounts } = await lookUpAccounts({ name: 'ada', actions: ['read'] }, { email: to, reason: 'Ticket 4711' });
    expect(accounts.map(({ uid, recoveryEmail }) => [uid, recoveryEmail])).toEqual([[app.user.uid, to]]);
    const user = await getIdentityAdmin().getUser(app.user.uid);
    expect(JSON.stringify(await collectAccountData(await getRecords(), user))).toContain(to);
  });

  test('takes the link of its mailbox in a session of the account only', async () => {
    const [laptop, phone] = [await signIn(), await signIn('phone')];
    const to = newEmail();
    const mail = await emailAfter(to, () => ask(laptop, to));
    expect(await inspectEmailChange(linkIn(mail))).toEqual({ state: 'open', email: to, kind: 'recovery' });
    const stranger = newBrowser('phone');
    await app.open(stranger, await fetchIdToken(await createTestUser()));
    const byLink = (browser: CookieJar) => app.call(browser, 'actions/change-email', { code: linkIn(mail) });
    expect(result(await byLink(stranger))).toEqual([401, 'session-required']);
    expect((await byLink(newBrowser())).status).toBe(401);
    const done = await byLink(phone);
    expect([done.status, done.body, await readRecovery()]).toEqual([200, {}, to]);
    expect(result(await byLink(phone))).toEqual([410, 'action-code-invalid']);
  });

  test('gets security emails beside the first mailbox, and signs no one in', async () => {
    const laptop = await signIn();
    const to = await add(laptop);
    await signIn('phone');
    expect(await readSubjects(to)).toContain('New sign-in to Campus');
    expect(await readSubjects(app.user.email)).toContain('New sign-in to Campus');

    const asked = await emailAfter(to, () => app.call(newBrowser(), 'email-link', { email: to }));
    expect([asked.subject, readEmail(asked).mode]).toEqual([
      'There’s no Campus account for this email address'.replace('’', "'"),
      null,
    ]);
    await expect(signInBy(to, app.user.password)).rejects.toThrow();
  });

  test('resets the password of the account, whose first mailbox is told, and the link of a sign-in ends the sign-in', async () => {
    const laptop = await signIn();
    const to = await add(laptop);
    const browser = newBrowser();
    const mail = await askReset(browser, to);
    expect([mail.text.includes(app.user.email), readEmail(mail).mode]).toEqual([true, null]);
    const reset = await confirmReset(browser, mail, 'quiet-lantern-42');
    expect([reset.status, reset.body]).toEqual([200, { email: app.user.email }]);
    expect([await app.check(laptop), await readMain()]).toEqual([401, app.user.email]);
    expect(await signInBy(app.user.email, 'quiet-lantern-42')).toBe(200);
    expect(await readSubjects(app.user.email)).toContain(PASSWORD);
    expect(await readSubjects(to)).toContain(PASSWORD);
    await nextSecond();
    const announced = (await readMails(to)).filter(({ subject }) => subject === 'New sign-in to Campus').at(-1);
    expect((await app.call(newBrowser(), 'actions/disavow-sign-in', { code: linkIn(announced) })).status).toBe(200);
    expect([await readMain(), await readRecovery()]).toEqual([app.user.email, to]);
  });

  test('answers a reset as any other address does', async () => {
    const laptop = await signIn();
    const to = await add(laptop);
    const answers = [];
    for (const email of [to, app.user.email, newEmail()]) {
      const { status, body, cookies } = await app.call(newBrowser(), 'password-reset', { email });
      answers.push([
        status,
        Object.keys(body ?? {}),
        Object.keys(cookies).map((name) => name.replace(/[.-][\w-]{12}$/, '')),
      ]);
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  test('is the same request for an address of another account, or that is a recovery email', async () => {
    const laptop = await signIn();
    const other = await createTestUser();
    const otherBrowser = newBrowser();
    await app.open(otherBrowser, await fetchIdToken(other));
    await nextSecond();
    const shared = await add(otherBrowser);
    for (const email of [other.email, shared]) {
      const mail = await emailAfter(email, () => ask(laptop, email));
      expect([mail.subject, /^[0-9A-Z]{6}$/m.test(mail.text)]).toEqual([
        'This email address already has a Campus account',
        false,
      ]);
    }
    expect(await readRecovery()).toBeUndefined();
  });

  test('needs a recent proof, is one of the account, and not of an organization or its own', async () => {
    const laptop = await signIn();
    expect(result(await ask(laptop, `${randomUUID()}@acme.test`))).toEqual([409, 'email-of-organization']);
    expect(result(await ask(laptop, app.user.email))).toEqual([400, 'bad-request']);
    const pending = newEmail();
    const waiting = await emailAfter(pending, () => ask(laptop, pending));
    await add(laptop);
    expect(result(await confirm(laptop, codeIn(waiting)))).not.toEqual([200, undefined]);
    expect(result(await ask(laptop, newEmail()))).toEqual([400, 'bad-request']);
    app.advance(360);
    for (const attempt of [ask(laptop, newEmail()), change(laptop, 'remove'), change(laptop, 'use')])
      expect(result(await attempt)).toEqual([403, 'recent-login-required']);
  });

  test('is removed by its owner, both mailboxes are told, and its reset ends', async () => {
    const laptop = await signIn();
    const to = await add(laptop);
    const browser = newBrowser();
    const reset = await askReset(browser, to);
    expect((await change(laptop, 'remove')).status).toBe(200);
    expect((await change(laptop, 'remove')).status).toBe(200);
    expect(await readRecovery()).toBeUndefined();
    expect((await readSubjects(app.user.email)).filter((subject) => subject === REMOVED)).toHaveLength(1);
    expect((await readSubjects(to)).filter((subject) => subject === GONE)).toHaveLength(1);
    expect(result(await confirmReset(browser, reset, 'quiet-lantern-42'))).toEqual([410, 'code-expired']);
    expect(await app.kinds()).toContain('recovery-email-removed');
    expect(result(await change(laptop, 'use'))).toEqual([404, 'not-found']);
  });

  test('becomes the first email without a code, and the former mailbox can undo it', async () => {
    const [laptop, phone] = [await signIn(), await signIn('phone')];
    const to = await add(laptop);
    const done = await change(laptop, 'use');
    expect([done.status, done.body]).toEqual([200, { customToken: expect.any(String) as string }]);
    expect([await readMain(), await readRecovery()]).toEqual([to, undefined]);
    expect([await app.check(laptop), await app.check(phone)]).toEqual([200, 401]);
    const subjects = await readSubjects(to);
    expect(subjects).toContain('Your Campus account has this email address now');
    expect(subjects).not.toContain(REMOVED);
    expect(subjects).not.toContain(REQUESTED);
    expect(await readSubjects(app.user.email)).toEqual(expect.arrayContaining([REQUESTED, CHANGED]));
    await nextSecond();
    expect((await undo(await lastLink(app.user.email, 'undoEmailChange'))).body).toEqual({ done: 'restore' });
    expect([await readMain(), await readRecovery()]).toEqual([app.user.email, undefined]);
    expect(await enterByMailbox({ ...app, newBrowser }, app.user.email)).toBe(app.user.uid);
  });

  test('of a managed account is told beside it, resets nothing, and does not become the first', async () => {
    const email = `${randomUUID()}@acme.test`;
    const member = newBrowser();
    await app.open(member, await fetchOrganizationIdToken('saml.acme', email));
    await nextSecond();
    const to = await add(member);
    await app.open(newBrowser('phone'), await fetchOrganizationIdToken('saml.acme', email));
    expect(await readSubjects(to)).toContain('New sign-in to Campus');
    expect(readEmail(await askReset(newBrowser(), to)).code).toBeUndefined();
    expect(result(await change(member, 'use'))).toEqual([409, 'email-managed']);
  });

  test('goes when the account gets it as its email', async () => {
    const laptop = await signIn();
    const to = await add(laptop);
    const uid = app.user.uid;
    await moveAccount({ operator: 'cli:ada', uid, to, reason: 'Ticket 4711' });
    expect([await readMain(), await readRecovery()]).toEqual([to, undefined]);
  });

  test('is told of a deletion, and goes with the account', async () => {
    const laptop = await signIn();
    const to = await add(laptop);
    expect((await app.call(laptop, 'account/delete', { token: await fetchIdToken(app.user) })).status).toBe(200);
    expect((await readSubjects(to)).filter((subject) => subject.includes('will be deleted'))).toHaveLength(1);
    for (const interval of ['6 days', '2 days']) {
      await letPass(await getRecords(), app.user.uid, interval);
      await work(await getRecords());
    }
    expect(await readRecovery()).toBeUndefined();
  });
});

describe('an address that gets an account of its own', () => {
  test('is no longer a recovery email, its reset is about that account, and the owner is told', async () => {
    const laptop = await signIn();
    const to = await add(laptop);
    const browser = newBrowser();
    const earlier = await askReset(browser, to);
    const values = { name: 'Mia Moreau', email: to, password: `owner-${randomUUID()}` };
    const registering = newBrowser('phone');
    const { code } = readEmail(await emailAfter(to, () => app.call(registering, 'registration', values)));
    // Before the proof, anyone can register it.
    const second = newBrowser();
    expect((await askReset(second, to)).text).toContain(app.user.email);
    expect((await app.call(registering, 'registration/confirm', { code })).status).toBe(200);
    expect(await readRecovery()).toBeUndefined();
    expect(await readSubjects(app.user.email)).toContain(REMOVED);
    // Both codes are now about the account of the mailbox.
    expect((await confirmReset(browser, earlier, 'quiet-lantern-42')).status).toBe(200);
    expect([await app.check(laptop), await readMain()]).toEqual([200, app.user.email]);
    expect(await signInBy(to, 'quiet-lantern-42')).toBe(200);
  });
});

describe('the link “This wasn’t me” of the first mailbox', () => {
  test('removes the recovery email, the password and all sessions', async () => {
    const laptop = await signIn();
    const to = await add(laptop);
    const code = await lastLink(app.user.email, 'undoEmailChange');
    expect(await inspectEmailUndo(code)).toEqual({ state: 'done', email: app.user.email, kind: 'recovery' });
    await nextSecond();
    expect((await undo(code)).body).toEqual({ done: 'remove' });
    expect([await readRecovery(), await readMain(), await app.check(laptop)]).toEqual([undefined, app.user.email, 401]);
    await expect(signInBy(app.user.email, app.user.password)).rejects.toThrow();
    expect(await readSubjects(to)).toContain(GONE);
    expect(result(await undo(code))).toEqual([410, 'action-code-invalid']);
    expect(await enterByMailbox({ ...app, newBrowser }, app.user.email)).toBe(app.user.uid);
  });
});
