// Threats: operator-token-abused, unproved-rename
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { describe, expect, inject, test } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { findByEmail, findById } from '@/lib/server/identity/find';
import { PROVED_ADDRESS_CLAIM } from '@/lib/server/policy/account';
import { getRecords } from '@/lib/server/storage/records';
import { exportEvents } from '@/lib/server/storage/records/events';
import { passkeys, sessions } from '@/lib/server/storage/records/schema';
import { moveAccount } from '@/lib/server/support/move';
import { nextSecond } from '../support/client';
import { schedule, work } from '../support/deletions';
import { codeIn, mailsBesidesAlerts } from '../support/mail';
import { emailAfter, enterByMailbox, readEmail } from '../support/mailbox-owner';
import { serveSessions } from '../support/session-app';
import { createTestUser, fetchIdToken, fetchOrganizationIdToken } from '../support/test-users';

const app = serveSessions();
const mailbox = { mailboxUrl: inject('mailboxUrl') };
const newEmail = () => `${randomUUID()}@campus.test`;
const move = (to: string, uid = app.user.uid) => moveAccount({ operator: 'cli:ada', uid, to, reason: 'Ticket 4711' });
const expectRefused = (attempt: Promise<unknown>, rule: string) =>
  expect(attempt).rejects.toMatchObject({ code: 'action-refused', options: { rule } });

async function addPasskey(): Promise<void> {
  const { uid, email } = app.user;
  const row = {
    ...{ id: randomUUID(), uid, credentialId: randomUUID(), publicKey: 'key', algorithm: -7, counter: 0 },
    ...{ transports: [], aaguid: randomUUID(), backupEligible: true, backedUp: true, userVerified: true },
    ...{ rpId: 'localhost', email, name: null, source: 'settings', createdAt: new Date() },
  };
  await (await getRecords()).transact((tx) => tx.insert(passkeys).values(row));
}

describe('an account that an operator gives another email', () => {
  test('keeps its id, password and passkeys; its sessions end, and both mailboxes are told', async () => {
    const laptop = app.newBrowser();
    await app.signIn(laptop);
    await addPasskey();
    await nextSecond();
    const to = newEmail();
    await move(to);

    const account = await findById(app.user.uid);
    expect(account?.facts).toMatchObject({ email: to, emailVerified: true, disabled: false });
    expect(account?.user.customClaims).toMatchObject({ [PROVED_ADDRESS_CLAIM]: to });
    expect(await app.check(laptop)).toBe(401);
    const records = await getRecords();
    const { uid } = app.user;
    const [ended] = await records.query((tx) => tx.select().from(sessions).where(eq(sessions.uid, uid)));
    expect(ended?.endedBy).toBe('email-changed');
    const kept = await records.query((tx) => tx.select().from(passkeys).where(eq(passkeys.uid, uid)));
    expect(kept.map(({ email }) => email)).toEqual([to]);
    expect((await exportEvents(records, uid))[0]).toMatchObject({
      ...{ kind: 'email-changed', operator: 'cli:ada', reason: 'Ticket 4711' },
    });

    const phone = app.newBrowser('phone');
    expect((await app.open(phone, await fetchIdToken({ email: to, password: app.user.password }))).status).toBe(200);
    expect((await app.call(phone, 'check-auth-status')).body).toMatchObject({ uid, email: to });
    await work(records);
    const subjects = async (email: string) => (await mailsBesidesAlerts(mailbox, email)).map(({ subject }) => subject);
    expect(await subjects(app.user.email)).toEqual(['The email address of your Campus account was changed']);
    expect(await subjects(to)).toEqual(['Our support team changed your Campus account']);
  });

  test('is not reached any more by what its former mailbox has got', async () => {
    const { email } = app.user;
    await nextSecond();
    const browsers = { reset: app.newBrowser(), signIn: app.newBrowser() };
    const reset = await emailAfter(email, () => app.call(browsers.reset, 'password-reset', { email }));
    let flow: unknown;
    const signIn = await emailAfter(email, async () => {
      const answer = await app.call(browsers.signIn, 'email-link', { email });
      flow = answer.body?.flow;
      return answer;
    });
    await move(newEmail());

    const password = 'quiet-lantern-42';
    const uses = {
      'reset code': app.call(browsers.reset, 'password-reset/confirm', { code: codeIn(reset), password }),
      'reset link': app.call(app.newBrowser(), 'actions/reset-password', {
        oobCode: readEmail(reset).oobCode,
        password,
      }),
      'sign-in code': app.call(browsers.signIn, 'email-link/confirm', { flow, code: codeIn(signIn) }),
      'sign-in link': app.call(app.newBrowser(), 'actions/sign-in', { code: readEmail(signIn).oobCode, email }),
    };
    const results: Record<string, unknown> = {};
    for (const [name, use] of Object.entries(uses)) results[name] = (await use).body?.code;
    expect(results).toEqual({
      'reset code': 'code-expired',
      'reset link': 'action-code-invalid',
      'sign-in code': 'code-expired',
      'sign-in link': 'action-code-invalid',
    });
  });

  test('does not come back when someone registers its former email', async () => {
    const to = newEmail();
    await app.signIn(app.newBrowser());
    await move(to);
    const entered = await enterByMailbox(app, app.user.email);
    expect(entered).not.toBe(app.user.uid);
    expect((await findByEmail(to))?.user.uid).toBe(app.user.uid);
    expect(await enterByMailbox(app, to)).toBe(app.user.uid);
  });

  test('gets its new email back when someone changes it at the identity provider', async () => {
    const to = newEmail();
    await move(to);
    await getIdentityAdmin().updateUser(app.user.uid, { email: `${randomUUID()}@mallory.test` });
    expect((await findByEmail(to))?.facts).toMatchObject({ uid: app.user.uid, email: to, emailVerified: true });
    expect(await enterByMailbox(app, to)).toBe(app.user.uid);
  });

  test('can be moved again and back', async () => {
    const to = newEmail();
    await move(to);
    await move(app.user.email);
    expect((await findByEmail(app.user.email))?.user.uid).toBe(app.user.uid);
    expect(await getIdentityAdmin().getUsers([{ email: to }])).toMatchObject({ users: [] });
  });

  test('completes a move that was interrupted before its records', async () => {
    await app.signIn(app.newBrowser());
    await addPasskey();
    const to = newEmail();
    const { uid } = app.user;
    await getIdentityAdmin().updateUser(uid, { email: to, emailVerified: true });
    await getIdentityAdmin().setCustomUserClaims(uid, { [PROVED_ADDRESS_CLAIM]: to });
    await move(to);
    const kept = await (await getRecords()).query((tx) => tx.select().from(passkeys).where(eq(passkeys.uid, uid)));
    expect(kept.map(({ email }) => email)).toEqual([to]);
    await expectRefused(move(to), 'same-email');
  });
});

describe('a move is refused', () => {
  test('to an email that another account has, or has proved', async () => {
    const other = await createTestUser();
    await expectRefused(move(other.email), 'email-taken');
    // Someone has moved the other account at the identity provider. It gets its email back.
    await app.open(app.newBrowser(), await fetchIdToken(other));
    await getIdentityAdmin().updateUser(other.uid, { email: newEmail() });
    await expectRefused(move(other.email), 'email-taken');
    expect((await findById(app.user.uid))?.facts.email).toBe(app.user.email);
  });

  test('while a deletion is scheduled, and for an unconfirmed or unknown account', async () => {
    const { uid } = await createTestUser({ emailVerified: false });
    await expectRefused(move(newEmail(), uid), 'unconfirmed-email');
    await expect(move(newEmail(), randomUUID())).rejects.toMatchObject({ code: 'not-found' });
    await schedule(await getRecords(), app.user);
    await expectRefused(move(newEmail()), 'deletion-scheduled');
  });

  test('to one of two accounts that want an email at the same time', async () => {
    const other = await createTestUser();
    const to = newEmail();
    const results = await Promise.allSettled([move(to), move(to, other.uid)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const { uid } = await getIdentityAdmin().getUserByEmail(to);
    const loser = uid === other.uid ? app.user : other;
    expect((await findById(loser.uid))?.facts).toMatchObject({ email: loser.email, emailVerified: true });
  });
});

test('a person of an organization that was renamed keeps the account', async () => {
  const from = `${randomUUID()}@acme.test`;
  const first = app.newBrowser();
  await app.open(first, await fetchOrganizationIdToken('saml.acme', from));
  const { uid } = await getIdentityAdmin().getUserByEmail(from);
  const to = `${randomUUID()}@acme.test`;
  await nextSecond();
  await move(to, uid);
  // The organization has not renamed the person yet.
  const early = await app.open(app.newBrowser(), await fetchOrganizationIdToken('saml.acme', from));
  expect([early.status, early.body]).toEqual([200, {}]);
  const renamed = app.newBrowser();
  expect((await app.open(renamed, await fetchOrganizationIdToken('saml.acme', to))).status).toBe(200);
  expect((await app.call(renamed, 'check-auth-status')).body).toMatchObject({ uid, email: to });
});
