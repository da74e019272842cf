// The eleven requests of learners (docs/support/index.md), by the API of the deployed app, on PostgreSQL if it is installed.
// tests/e2e/support-desk.nightly.spec.ts has the same requests by the page.
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { ACCOUNT_ACTIONS, type ActionDone, type LookedUp, type SupportAccount } from '@/lib/shared/support/desk';
import { startOtherApp, type Endpoints } from '../../../scripts/lib/stack.mjs';
import { tokenBy, type TestUser } from '../../support/accounts-client';
import { attackTools } from '../../support/attack';
import { CookieJar, nextSecond } from '../../support/client';
import { linksIn, mailsTo } from '../../support/mail';
import { createOperator } from '../../support/operators';
import { enrolApp } from '../../support/second-factor';

const { accounts, freshEmail, signInWithIdp } = attackTools();
const REASON = 'Ticket 4711';
let endpoints: Endpoints;
let stop: () => Promise<void>;
beforeAll(async () => {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'operators-')), 'operators.json');
  writeFileSync(file, JSON.stringify({ operators: { ada: createOperator('ada', ['read', ...ACCOUNT_ACTIONS]) } }));
  ({ endpoints, stop } = await startOtherApp(inject('endpoints'), { OPERATORS_FILE: file }));
});
afterAll(() => stop());

const authorization = 'Bearer token-of-ada';
async function lookUp(query: Record<string, string>): Promise<LookedUp> {
  const parameters = new URLSearchParams({ ...query, reason: REASON }).toString();
  const response = await fetch(`${endpoints.appOrigin}/api/admin/accounts?${parameters}`, {
    headers: { authorization },
  });
  expect(response.status).toBe(200);
  return (await response.json()) as LookedUp;
}
async function find({ email }: Pick<TestUser, 'email'>): Promise<SupportAccount> {
  const { accounts: found } = await lookUp({ email });
  expect(found).toHaveLength(1);
  return found[0] as SupportAccount;
}
async function act(action: string, { uid }: Pick<TestUser, 'uid'>) {
  const response = await fetch(`${endpoints.appOrigin}/api/admin/accounts/actions`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ action, uid, reason: REASON }),
  });
  return { status: response.status, body: (await response.json()) as ActionDone & { code?: string } };
}
async function expectDone(action: string, user: Pick<TestUser, 'uid'>): Promise<ActionDone> {
  const { status, body } = await act(action, user);
  expect([status, body.code]).toEqual([200, undefined]);
  return body;
}

const newBrowser = () => new CookieJar({ origin: endpoints.appOrigin, 'sec-fetch-site': 'same-origin' });
const call = (browser: CookieJar, name: string, body: object = {}) =>
  browser.post(`${endpoints.appOrigin}/api/${name}`, body);
const open = (browser: CookieJar, token: string) => call(browser, 'create-user-session', { token });
async function signIn(user: TestUser) {
  const browser = newBrowser();
  expect((await open(browser, await accounts.idToken(user))).status).toBe(200);
  return browser;
}
const check = async (browser: CookieJar) => (await call(browser, 'check-auth-status')).status;
const listKinds = ({ events }: SupportAccount) => events.map(({ kind }) => kind);
const getCode = (mail: { text: string } | undefined) =>
  new URL(linksIn(mail ?? { text: '' })[0] ?? '').searchParams.get('oobCode') ?? '';

test("I can't sign in", async () => {
  const user = await accounts.create();
  const acme = await signInWithIdp('saml.acme', { sub: user.uid, email: user.email });
  const refused = await open(newBrowser(), String(acme.body.idToken));
  expect(refused.body?.code).toBe('invalid-enterprise-domain');
  await vi.waitFor(async () =>
    expect((await find(user)).events).toContainEqual(
      expect.objectContaining({ kind: 'refused', rule: 'provider-outside-its-domains', method: 'saml.acme' }),
    ),
  );
});

test('I never got the email', async () => {
  const user = await accounts.create();
  expect((await call(newBrowser(), 'password-reset', { email: user.email })).status).toBe(200);
  await mailsTo(endpoints, user.email);
  await vi.waitFor(async () =>
    expect((await find(user)).emails).toMatchObject([
      { kind: 'reset', result: 'sent', answer: expect.stringMatching(/^250/) as string },
    ]),
  );
  await expectDone('send-reset', user);
  const mails = await mailsTo(endpoints, user.email, 2);
  const password = 'quiet-lantern-42';
  const done = await call(newBrowser(), 'actions/reset-password', { oobCode: getCode(mails.at(-1)), password });
  expect(done.status).toBe(200);
  await accounts.idToken({ ...user, password });
});

test('Someone took over my account', async () => {
  const user = await accounts.create();
  const intruder = await signIn(user);
  await vi.waitFor(async () => expect(listKinds(await find(user))).toContain('signed-in'));
  await expectDone('disable', user);
  expect(await check(intruder)).toBe(401);
  await expectDone('enable', user);
  await expectDone('sign-out', user);
  await nextSecond();
  expect(await check(intruder)).toBe(401);
  await expectDone('send-reset', user);
  const mails = await vi.waitFor(async () => {
    const found = (await mailsTo(endpoints, user.email, 4)).filter(({ text }) => text.includes('mode=resetPassword'));
    expect(found).toHaveLength(1);
    return found;
  });
  const password = 'quiet-lantern-42';
  const done = await call(newBrowser(), 'actions/reset-password', { oobCode: getCode(mails[0]), password });
  expect(done.status).toBe(200);
  await expect(accounts.idToken(user)).rejects.toThrow('INVALID');
  await signIn({ ...user, password });
});

test('I lost my phone and my recovery codes', async () => {
  const user = await accounts.create();
  await enrolApp(endpoints, user);
  await nextSecond();
  expect((await open(newBrowser(), await accounts.idToken(user))).body?.code).toBe('second-factor-required');
  expect((await find(user)).secondFactor.apps).toHaveLength(1);
  await expectDone('second-factor-off', user);
  expect((await find(user)).secondFactor).toEqual({ since: null, apps: [], recoveryCodesLeft: 0 });
  await nextSecond();
  await signIn(user);
});

test('My email is wrong', async () => {
  const email = freshEmail();
  expect((await call(newBrowser(), 'password-reset', { email })).status).toBe(200);
  await mailsTo(endpoints, email);
  await vi.waitFor(async () =>
    expect(await lookUp({ email })).toMatchObject({ accounts: [], emails: [{ kind: 'no-account', result: 'sent' }] }),
  );
});

test('I have two accounts', async () => {
  const [used, unused] = [await accounts.create(), await accounts.create()];
  const browser = await signIn(used);
  expect((await find(used)).uid).toBe(used.uid);
  await expectDone('delete', await find(unused));
  expect(await accounts.exists(unused.email)).toBe(false);
  expect(await check(browser)).toBe(200);
});

test('Delete my account, and prove it', async () => {
  const user = await accounts.create();
  await signIn(user);
  const { data } = await expectDone('export', user);
  expect(data?.account.email).toBe(user.email);
  const { receipt } = await expectDone('delete', user);
  expect(receipt).toMatchObject({ uid: user.uid, emailed: true });
  await vi.waitFor(async () =>
    expect((await mailsTo(endpoints, user.email)).map(({ subject }) => subject)).toContain(
      'Your Campus account was deleted',
    ),
  );
  expect(await lookUp({ uid: user.uid })).toEqual({ accounts: [], emails: [] });
  expect((await act('delete', user)).status).toBe(404);
});

test('What happened last week?', async () => {
  const user = await accounts.create();
  const browser = await signIn(user);
  expect((await call(browser, 'initiate-logout')).status).toBe(200);
  await vi.waitFor(async () => {
    const account = await find(user);
    expect(listKinds(account)).toEqual(expect.arrayContaining(['signed-in', 'signed-out', 'support-viewed']));
    expect(account.sessions).toMatchObject([{ method: 'password', endedBy: 'sign-out' }]);
  });
});

test('I am locked out', async () => {
  const user = await accounts.create();
  const { codeAt, wrongCode } = await enrolApp(endpoints, user);
  await nextSecond();
  for (let signIns = 0; signIns < 2; signIns += 1) {
    const thief = newBrowser();
    await open(thief, await accounts.idToken(user));
    for (let tries = 0; tries < 5; tries += 1) await call(thief, 'second-factor/sign-in', { code: wrongCode() });
  }
  const browser = newBrowser();
  await open(browser, await accounts.idToken(user));
  expect((await call(browser, 'second-factor/sign-in', { code: codeAt() })).status).toBe(429);
  expect((await find(user)).state).toContainEqual(expect.objectContaining({ rule: 'factors-locked' }));
  await expectDone('unlock', user);
  expect((await call(browser, 'second-factor/sign-in', { code: codeAt() })).status).toBe(200);
});

test('Sign me out everywhere', async () => {
  const user = await accounts.create();
  const browsers = [await signIn(user), await signIn(user)];
  await expectDone('sign-out', user);
  for (const browser of browsers) expect(await check(browser)).toBe(401);
  const { sessions } = await find(user);
  expect(sessions.map(({ endedBy }) => endedBy)).toEqual(['signed-out-by-support', 'signed-out-by-support']);
});

test('Block this account', async () => {
  const user = await accounts.create();
  const browser = await signIn(user);
  await expectDone('disable', user);
  expect(await check(browser)).toBe(401);
  await expect(tokenBy(endpoints, 'signInWithPassword', user)).rejects.toThrow('USER_DISABLED');
  expect((await find(user)).state).toContainEqual(expect.objectContaining({ rule: 'disabled-account' }));
  expect((await act('disable', user)).status).toBe(409);
});
