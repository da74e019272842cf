// Threats: operator-token-abused
import { randomUUID } from 'node:crypto';
import { describe, expect, inject, test, vi } from 'vitest';
import { drainBehindResponses } from '@/lib/server/http';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { MAX_TRIES } from '@/lib/server/policy/second-factor';
import { getRecords } from '@/lib/server/storage/records';
import { exportEvents, hasAccountRecords, listEvents } from '@/lib/server/storage/records/events';
import { exportSessions } from '@/lib/server/storage/records/sessions';
import { ACCOUNT_ACTIONS, type ActionDone } from '@/lib/shared/support/desk';
import { linksIn, mailsTo } from '../support/mail';
import { createOperator, createOperatorsFile } from '../support/operators';
import { serveSecondFactor } from '../support/second-factor-app';
import { createTestUser, fetchIdToken } from '../support/test-users';

const { hash, write: writeOperators } = createOperatorsFile();
const ada = createOperator('ada', ['read', ...ACCOUNT_ACTIONS]);
const bo = createOperator('bo', ACCOUNT_ACTIONS);
const reader = createOperator('reader', ['read']);
const old = createOperator('old', ACCOUNT_ACTIONS, '2026-01-01');
const operators = { ada, bo, reader, old };
writeOperators(operators);

const app = serveSecondFactor();
const REASON = 'Ticket 4711';

type Answered = ActionDone & { code?: string; detail?: string };

async function send(body: unknown, token: string | null = 'token-of-ada', type = 'application/json') {
  const headers = { 'content-type': type, ...(token !== null && { authorization: `Bearer ${token}` }) };
  const response = await fetch(`${app.origin}/api/admin/accounts/actions`, {
    ...{ method: 'POST', headers, body: JSON.stringify(body) },
  });
  const text = await response.text();
  return { status: response.status, response, text, body: JSON.parse(text) as Answered };
}
const act = (action: string, uid = app.user.uid, token = 'token-of-ada') =>
  send({ action, uid, reason: REASON }, token);

async function expectDone(action: string, uid = app.user.uid) {
  const { status, body, text, response } = await act(action, uid);
  expect([status, body.code, body.detail]).toEqual([200, undefined, undefined]);
  // Nothing that gives access comes back.
  expect(response.headers.getSetCookie()).toEqual([]);
  expect(text).not.toMatch(/oobCode|customToken|\/actions\?|passwordHash|eyJ/);
  return body;
}

/** The event of an action, as the owner downloads it, and as the activity shows it. */
async function expectEvent(kind: string, uid = app.user.uid) {
  const records = await getRecords();
  const by = { kind, operator: 'ada', reason: REASON };
  expect(await exportEvents(records, uid)).toContainEqual(expect.objectContaining(by));
  const { events } = await listEvents(records, { uid, now: new Date(), before: null });
  expect(events).toContainEqual(expect.objectContaining({ kind, bySupport: true }));
}

test('support signs out everywhere, and the owner is told', async () => {
  const [laptop, phone] = [app.newBrowser(), app.newBrowser('phone')];
  await app.signIn(laptop);
  await app.signIn(phone);
  await expectDone('sign-out');
  for (const browser of [laptop, phone]) expect(await app.check(browser)).toBe(401);
  const sessions = await exportSessions(await getRecords(), app.user.uid);
  expect(sessions.map(({ endedBy }) => endedBy)).toEqual(['signed-out-by-support', 'signed-out-by-support']);
  await expectEvent('signed-out-everywhere');
  expect(await app.readSubjects(2)).toContain('Our support team changed your Campus account');
  await app.signIn(laptop);
  expect(await app.check(laptop)).toBe(200);
});

test('support disables an account once, and enables it again', async () => {
  const laptop = app.newBrowser();
  await app.signIn(laptop);
  await expectDone('disable');
  expect(await app.check(laptop)).toBe(401);
  expect((await app.open(app.newBrowser(), await signInAnyway()))?.status).not.toBe(200);
  await expectEvent('account-disabled');
  const again = await act('disable');
  expect([again.status, again.body.code]).toEqual([409, 'action-refused']);
  await expectDone('enable');
  await expectEvent('account-enabled');
  expect(await app.check(laptop)).toBe(200);
  const mails = await app.readMails(2);
  // Two emails that are sent at once arrive in any order.
  expect(mails.map(({ text }) => /closed|opened/.exec(text)?.[0]).toSorted()).toEqual(['closed', 'opened']);
  expect(mails.flatMap(linksIn)).toEqual([]);
});

/** An ID token from before the account was disabled. */
const signInAnyway = () => fetchIdToken(app.user).catch(() => 'refused');

test('support lifts a lockout of the second factor', async () => {
  const { app: authenticator, codeAt } = await app.enrol();
  expect((await act('unlock')).body).toMatchObject({ code: 'action-refused' });
  for (let signIns = 0; signIns < 2; signIns += 1) {
    const thief = app.newBrowser('phone');
    await app.begun(thief);
    for (let tries = 0; tries < MAX_TRIES; tries += 1)
      expect((await app.show(thief, { code: authenticator.wrongCode() })).status).not.toBe(200);
  }
  const owner = app.newBrowser();
  await app.begun(owner);
  expect((await app.show(owner, { code: codeAt() })).status).toBe(429);
  await expectDone('unlock');
  expect((await app.show(owner, { code: codeAt() })).status).toBe(200);
  await expectEvent('factor-unlocked');
  const texts = (await app.readMails(3)).map(({ text }) => text);
  expect(texts.some((text) => text.includes('Our support team has allowed them again'))).toBe(true);
});

test('support turns the second factor off, as the command does', async () => {
  const { laptop } = await app.enrol();
  expect((await app.claims()).second_factor).toBeDefined();
  await expectDone('second-factor-off');
  expect((await app.claims()).second_factor).toBeUndefined();
  expect(await app.check(laptop)).toBe(401);
  await app.signIn(app.newBrowser());
  await expectEvent('second-factor-off');
  expect(await app.readSubjects(2)).toContain('Two-step verification is off for your Campus account');
  expect((await act('second-factor-off')).body.code).toBe('action-refused');
});

test('support cancels a deletion', async () => {
  const laptop = app.newBrowser();
  await app.signIn(laptop);
  expect((await act('cancel-deletion')).status).toBe(409);
  const token = await fetchIdToken(app.user);
  expect((await app.call(laptop, 'account/delete', { token })).status).toBe(200);
  await expectDone('cancel-deletion');
  await expectEvent('deletion-cancelled');
  expect((await app.readSubjects(1)).at(-1)).toBe("Your Campus account won't be deleted");
});

test('support deletes an account with a receipt, and its owner is told', async () => {
  await app.signIn(app.newBrowser());
  const { uid, email } = app.user;
  const { receipt } = await expectDone('delete');
  expect(receipt).toMatchObject({ uid, emailed: true, deleted: expect.arrayContaining(['sessions']) as string[] });
  expect(await hasAccountRecords(await getRecords(), uid)).toBe(false);
  await expect(getIdentityAdmin().getUser(uid)).rejects.toThrow('no user record');
  expect((await app.readMails(1)).map(({ subject, to }) => [subject, to[0]?.address])).toEqual([
    ['Your Campus account was deleted', email],
  ]);
  const again = await act('delete');
  expect([again.status, again.body.code]).toEqual([404, 'not-found']);
});

test('support deletes what an account deleted elsewhere has left', async () => {
  await app.signIn(app.newBrowser());
  await getIdentityAdmin().deleteUser(app.user.uid);
  expect((await act('export')).body.code).toBe('action-refused');
  expect((await expectDone('delete')).receipt).toMatchObject({ deleted: ['records in the database'], emailed: false });
});

test('support exports the data for the person, and the file says so', async () => {
  await app.signIn(app.newBrowser());
  const { data } = await expectDone('export');
  expect(data?.account.email).toBe(app.user.email);
  expect(data?.records.events).toContainEqual(
    expect.objectContaining({ kind: 'data-downloaded', operator: 'ada', reason: REASON }),
  );
  await expectEvent('data-downloaded');
});

describe('an email by order of support', () => {
  test('sets a new password by its link, which only the mailbox gets', async () => {
    await expectDone('send-reset');
    await drainBehindResponses();
    const [mail] = await app.readMails(1);
    const [link = ''] = linksIn(mail ?? { text: '' });
    expect(link).toContain('mode=resetPassword');
    expect(mail?.text).toContain('Our support team sent you this link');
    await expectEvent('support-emailed');
    const oobCode = new URL(link).searchParams.get('oobCode') ?? '';
    const password = `${randomUUID()}-Aa1`;
    const set = await app.call(app.newBrowser(), 'actions/reset-password', { oobCode, password });
    expect([set.status, set.body?.code]).toEqual([200, undefined]);
    await fetchIdToken({ email: app.user.email, password });
  });

  test('confirms an email that is not confirmed', async () => {
    const { uid, email } = await createTestUser({ emailVerified: false });
    await expectDone('resend-confirmation', uid);
    await drainBehindResponses();
    const [mail] = await mailsTo({ mailboxUrl: inject('mailboxUrl') }, email);
    expect(mail?.subject).toBe('Confirm your email for Campus');
    expect(linksIn(mail ?? { text: '' })[0]).toContain('mode=verifyEmail');
    await expectEvent('support-emailed', uid);
    expect((await act('resend-confirmation')).body.code).toBe('action-refused');
  });
});

test('of two operators at once, the second finds what the first has done', async () => {
  const answers = await Promise.all([act('disable'), act('disable', app.user.uid, 'token-of-bo')]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const events = await exportEvents(await getRecords(), app.user.uid);
  expect(events.filter(({ kind }) => kind === 'account-disabled')).toHaveLength(1);
  expect(await app.readMails(1)).toHaveLength(1);
});

test('an unknown account is not found, and nothing is recorded about it', async () => {
  const uid = randomUUID();
  for (const action of ACCOUNT_ACTIONS) expect((await act(action, uid, 'token-of-bo')).body.code).toBe('not-found');
  expect(await hasAccountRecords(await getRecords(), uid)).toBe(false);
});

test('a wrong, an expired and a foreign token get one answer, for a known and an unknown account', async () => {
  const answers = [];
  for (const token of ['wrong', 'token-of-old', process.env.ADMIN_TOKEN ?? 'x', hash('token-of-ada')])
    for (const uid of [app.user.uid, randomUUID()]) {
      const { status, text } = await act('disable', uid, token);
      answers.push(`${String(status)} ${text}`);
    }
  expect(new Set(answers).size).toBe(1);
  expect(answers[0]).toContain('admin-token-wrong');
  // Also a malformed order is refused for its token first.
  expect((await send({}, null)).status).toBe(401);
});

test('a token of the lowest rights does nothing, and does not show which accounts exist', async () => {
  for (const action of ACCOUNT_ACTIONS) {
    const answers = [];
    for (const uid of [app.user.uid, randomUUID()]) answers.push((await act(action, uid, 'token-of-reader')).text);
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain('admin-token-wrong');
  }
  expect((await getIdentityAdmin().getUser(app.user.uid)).disabled).toBe(false);
});

test.each<[name: string, more: object]>([
  ['no reason', { reason: undefined }],
  ['a reason of two lines', { reason: 'one\ntwo' }],
  ['a password', { password: 'Correct-horse-1' }],
  ['no account', { uid: undefined }],
  ...['set-password', 'read-code', 'open-session', 'impersonate', 'read', '__proto__'].map(
    (action): [string, object] => [`the action ${action}`, { action }],
  ),
])('an order with %s is refused', async (_name, more) => {
  const { status, body } = await send({ action: 'disable', uid: app.user.uid, reason: REASON, ...more });
  expect([status, body.code]).toEqual([400, 'bad-request']);
});

test('an order is JSON, so that no form of another site can send one', async () => {
  const order = { action: 'disable', uid: app.user.uid, reason: REASON };
  expect((await send(order, 'token-of-ada', 'text/plain')).status).toBe(415);
  expect((await send(order, 'token-of-ada', 'application/x-www-form-urlencoded')).status).toBe(415);
});

test('a stolen token does not change many accounts', async () => {
  writeOperators({ ...operators, eve: createOperator('eve', ACCOUNT_ACTIONS) });
  const attempt = async () => (await act('disable', randomUUID(), 'token-of-eve')).status;
  await vi.waitUntil(async () => (await attempt()) === 404);
  const statuses = [];
  for (let calls = 0; calls < 30; calls += 1) statuses.push(await attempt());
  expect(statuses.filter((status) => status === 404)).toHaveLength(29);
  expect(statuses.at(-1)).toBe(429);
});
