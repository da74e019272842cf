// ASVS: 6.3.7, 6.4.3, 7.4.3
// Threats: recovery-email-abused, email-change-abused, enumeration
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { describe, expect, inject, test, vi } from 'vitest';
import { drainBehindResponses } from '@/lib/server/http/behind-response';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { storeProofs } from '@/lib/server/identity';
import { getOwnBrand, sendChangeNotice } from '@/lib/server/notifications';
import { getRecords } from '@/lib/server/storage/records';
import { insertRecoveryEmail } from '@/lib/server/storage/records/recovery-emails';
import { recoveryEmails as table } from '@/lib/server/storage/records/schema';
import { moveAccount } from '@/lib/server/support/move';
import { callProvider, idpResponse, tokenBy } from '../support/accounts-client';
import { nextSecond, UNHURRIED, type CookieJar } from '../support/client';
import { letPass } from '../support/deletions';
import { codeIn } from '../support/mail';
import { emailAfter, readEmail } from '../support/mailbox-owner';
import { loseRecordsAfter } from '../support/records-away';
import { newEmail, recoveryEmails, result } from '../support/recovery-emails';
import { serveSessions } from '../support/session-app';
import { createTestUser, fetchIdToken, fetchOrganizationIdToken } from '../support/test-users';

process.env.TRUSTED_PROXY_HOPS = '1';
const app = serveSessions();
vi.setConfig(UNHURRIED);
const emulator = { emulatorHost: inject('emulatorHost') };
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
  lastLink,
  undo,
  askReset,
  confirmReset,
} = recoveryEmails(app);
const disavow = (code: string) => app.call(newBrowser(), 'actions/disavow-sign-in', { code });
const move = (to: string) => moveAccount({ operator: 'cli:ada', uid: app.user.uid, to, reason: 'Ticket 4711' });

describe('a mailbox that is no longer the recovery email', () => {
  const ends: Record<string, (given: { laptop: CookieJar; to: string }) => Promise<unknown>> = {
    'after its removal': ({ laptop }) => change(laptop, 'remove'),
    'after another account has proved it': async ({ to }) => {
      const sub = randomUUID();
      await app.open(
        newBrowser('phone'),
        await tokenBy(emulator, 'signInWithIdp', idpResponse('google.com', { sub, email: to, email_verified: true })),
      );
    },
  };
  test.each(Object.keys(ends))('neither ends the owner’s sign-ins nor undoes a change %s', async (how) => {
    const laptop = await signIn();
    const to = await add(laptop);
    const phone = await signIn('phone');
    const signedIn = await lastLink(to, 'disavowSignIn');
    const next = newEmail();
    const mail = await emailAfter(next, () => app.call(laptop, 'account/email', { email: next }));
    const requested = await lastLink(to, 'undoEmailChange');
    await ends[how]?.({ laptop, to });
    expect(await readRecovery()).toBeUndefined();
    expect(result(await disavow(signedIn))).toEqual([410, 'action-code-invalid']);
    expect(result(await undo(requested))).toEqual([410, 'action-code-invalid']);
    expect([await app.check(laptop), await app.check(phone)]).toEqual([200, 200]);
    expect((await confirm(laptop, codeIn(mail))).status).toBe(200);
    expect(result(await undo(requested))).toEqual([410, 'action-code-invalid']);
    await expectOwned(next);
  });
});

test.each([
  ['is sent to the recovery email, too', false, 6],
  ['is not sent to a mailbox that is no longer the recovery email', true, 5],
] as const)('a notice that waits for an hour %s', async (_, isRemoved, count) => {
  const laptop = await signIn();
  const to = await add(laptop);
  const { uid, email } = app.user;
  for (let each = 0; each < 6; each += 1)
    await sendChangeNotice({ uid, to: email }, { kind: 'devices-signed-out' }, getOwnBrand());
  const readNotices = async (of: string) =>
    (await readMails(of)).filter(({ subject }) => subject === 'Devices were signed out of your Campus account');
  expect([(await readNotices(email)).length, (await readNotices(to)).length]).toEqual([5, 5]);
  if (isRemoved) expect((await change(laptop, 'remove')).status).toBe(200);
  await letPass(await getRecords(), uid, '61 minutes');
  expect([(await readNotices(email)).length, (await readNotices(to)).length]).toEqual([6, count]);
});

test('the recovery email undoes a change by an intruder while it is the recovery email', async () => {
  const laptop = await signIn();
  const to = await add(laptop);
  await steal(await signIn('phone'));
  expect((await undo(await lastLink(to, 'undoEmailChange'))).body).toEqual({ done: 'restore' });
  await expectOwned(app.user.email);
});

describe('after an operator has moved the account', () => {
  test('no mailbox of an intruder undoes it, by a link or by a recovery email', async () => {
    const thief = await signIn();
    const first = await steal(thief);
    await steal(thief);
    const added = await add(thief);
    const link = await lastLink(first, 'undoEmailChange');
    const browser = newBrowser('phone');
    const reset = await askReset(browser, added);
    await move(app.user.email);
    expect((await undo(link)).status).toBe(410);
    expect(result(await confirmReset(browser, reset, 'mallory-pass-2'))).toEqual([410, 'code-expired']);
    expect(readEmail(await askReset(newBrowser(), added)).code).toBeUndefined();
    expect(await readRecovery()).toBeUndefined();
    await expectOwned(app.user.email);
    const told = (await readMails(app.user.email)).map(({ subject }) => subject);
    expect(told).toContain('The recovery email of your Campus account was removed');
  });

  test('the recovery email of a managed account stays', async () => {
    const email = `${randomUUID()}@acme.test`;
    const member = newBrowser();
    await app.open(member, await fetchOrganizationIdToken('saml.acme', email));
    await nextSecond();
    const to = await add(member);
    const { uid } = await getIdentityAdmin().getUserByEmail(email);
    await moveAccount({ operator: 'cli:ada', uid, to: `${randomUUID()}@acme.test`, reason: 'Ticket 4711' });
    expect(await readRecovery(uid)).toBe(to);
  });
});

test('spellings of an address are one recovery email', async () => {
  const laptop = await signIn();
  const name = randomUUID();
  const to = await add(laptop, `${name}@xn--9ca.test`);
  const other = newBrowser('phone');
  await app.open(other, await fetchIdToken(await createTestUser()));
  await nextSecond();
  const spellings = [
    `${name.toUpperCase()}@É.test`,
    `${name}@e\u0301.test.`,
    `Ada <${name}@é．test>`,
    `${name}\u200b@XN--9CA.test`,
  ];
  for (const email of spellings) {
    const mail = await emailAfter(to, () => ask(other, email));
    expect([mail.subject, /^[0-9A-Z]{6}$/m.test(mail.text)], email).toEqual([
      'This email address already has a Campus account',
      false,
    ]);
    const reset = await emailAfter(to, () => app.call(newBrowser(), 'password-reset', { email }));
    expect(readEmail(reset).code, email).toBeDefined();
  }
});

test('a proof of the address beside its addition leaves it to the account that has it', async () => {
  const laptop = await signIn();
  const to = newEmail();
  const mail = await emailAfter(to, () => ask(laptop, to));
  const token = await tokenBy(
    emulator,
    'signInWithIdp',
    idpResponse('google.com', { sub: randomUUID(), email: to, email_verified: true }),
  );
  await Promise.all([confirm(laptop, codeIn(mail)), app.open(newBrowser('phone'), token)]);
  await drainBehindResponses();
  expect(await readRecovery()).toBeUndefined();
  const reset = await askReset(newBrowser(), to);
  expect(reset.text).not.toContain(app.user.email);
});

test.each([false, true])(
  'a proof by another account ends it and tells its owner once, if the database fails, with the call carried out: %s',
  async (isCarriedOut) => {
    await signIn();
    const { uid } = await createTestUser();
    for (let calls = 0; ; calls += 1) {
      const to = newEmail();
      const row = { uid: app.user.uid, email: to, addedIn: null };
      await (await getRecords()).transact((tx) => insertRecoveryEmail(tx, row));
      const before = (await readMails(app.user.email)).length;
      const wasLost = await loseRecordsAfter(calls, isCarriedOut, () => storeProofs([{ uid, email: to }]));
      // As its next sign-in does.
      await storeProofs([{ uid, email: to }]);
      expect(await readRecovery(), `after ${String(calls)} calls`).toBeUndefined();
      const told = (await readMails(app.user.email)).slice(before).map(({ subject }) => subject);
      expect(told, `after ${String(calls)} calls`).toEqual(['The recovery email of your Campus account was removed']);
      if (!wasLost) break;
    }
  },
);

describe('a reset by the recovery email', () => {
  test('signs no one in, neither beside its code nor afterwards in that browser', async () => {
    const laptop = await signIn();
    const to = await add(laptop);
    const browser = newBrowser('phone');
    const mail = await askReset(browser, to);
    const answer = await confirmReset(browser, mail, 'owner-pass-2');
    expect([answer.status, answer.body]).toEqual([200, { email: app.user.email }]);
    expect([await app.check(browser), await app.check(laptop)]).toEqual([401, 401]);
    expect((await confirmReset(browser, mail, 'owner-pass-3')).status).toBeGreaterThanOrEqual(400);
  });

  test('of a disabled account says so in its email only, and its earlier code ends', async () => {
    const laptop = await signIn();
    const to = await add(laptop);
    const browser = newBrowser('phone');
    const mail = await askReset(browser, to);
    await getIdentityAdmin().updateUser(app.user.uid, { disabled: true });
    expect(result(await confirmReset(browser, mail, 'owner-pass-2'))).toEqual([410, 'code-expired']);
    expect(readEmail(await askReset(newBrowser(), to)).code).toBeUndefined();
  });
});

test('a reset of an account that was disabled since signs no one in', async () => {
  await signIn();
  const browser = newBrowser('phone');
  const mail = await askReset(browser, app.user.email);
  await getIdentityAdmin().updateUser(app.user.uid, { disabled: true });
  expect(result(await confirmReset(browser, mail, 'owner-pass-2'))).toEqual([410, 'code-expired']);
});

test('the recovery email of an account that was deleted at the identity provider is free again', async () => {
  const laptop = await signIn();
  const to = await add(laptop);
  const { uid } = app.user;
  await callProvider(emulator, 'accounts:delete', { idToken: await fetchIdToken(app.user) });
  expect(readEmail(await askReset(newBrowser(), to)).code).toBeUndefined();
  const other = newBrowser('phone');
  const user = await createTestUser();
  await app.open(other, await fetchIdToken(user));
  await nextSecond();
  await add(other, to);
  const rows = await (await getRecords()).query((tx) => tx.select().from(table).where(eq(table.email, to)));
  expect(rows.map((row) => row.uid)).toEqual([user.uid]);
  expect(await readRecovery(uid)).toBeUndefined();
});
