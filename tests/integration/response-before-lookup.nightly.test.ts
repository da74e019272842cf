// Threats: enumeration
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test, vi } from 'vitest';
import { connectErrorSink } from '@/lib/shared/error-reporting/report';
import { drainBehindResponses } from '@/lib/server/http/behind-response';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { breakLocks } from '../support/account-lock';
import { CookieJar } from '../support/client';
import { codeIn, mailsTo } from '../support/mail';
import { createLinkCode } from '../support/sign-in-link';
import { serveRoutes, type RunningRoutes } from '../support/routes';
import { createTestUser } from '../support/test-users';

let app: RunningRoutes;
let release = () => {};
const reports: unknown[] = [];

beforeAll(async () => {
  connectErrorSink((report) => reports.push(report));
  app = await serveRoutes();
});
afterAll(() => app.close());
beforeEach(() => {
  reports.length = 0;
});
afterEach(async () => {
  release();
  vi.restoreAllMocks();
  await drainBehindResponses();
});

/** Accounts can be looked up only after `release`. */
function holdLookups() {
  const admin = getIdentityAdmin();
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const getUserByEmail = admin.getUserByEmail.bind(admin);
  return vi.spyOn(admin, 'getUserByEmail').mockImplementation(async (email) => {
    await held;
    return getUserByEmail(email);
  });
}

const newEmail = () => `${randomUUID()}@campus.test`;
const post = (jar: CookieJar, path: string, body: object) => jar.post(`${app.origin}/api/${path}`, body);
const mails = (email: string, count = 1) => mailsTo({ mailboxUrl: inject('mailboxUrl') }, email, count);

test.each([
  ['password-reset', (email: string) => ({ email })],
  ['sign-in-help', (email: string) => ({ email })],
  ['email-link', (email: string) => ({ email })],
  ['registration', (email: string) => ({ name: 'Mia Moreau', email, password: 'quiet-lantern-42' })],
])('%s is answered before an account is looked up, and sends its email then', async (path, getBody) => {
  const known = await createTestUser();
  const lookup = holdLookups();
  for (const email of [known.email, newEmail()]) {
    expect((await post(new CookieJar(), path, getBody(email))).status).toBe(200);
  }
  release();
  expect(await mails(known.email)).toHaveLength(1);
  expect(lookup).toHaveBeenCalled();
});

test.each([
  ['password-reset', (email: string) => ({ email })],
  ['registration', (email: string) => ({ name: 'Mia Moreau', email, password: 'quiet-lantern-42' })],
])('so is another code of %s', async (path, getBody) => {
  const known = await createTestUser();
  const jar = new CookieJar();
  const { body } = await post(jar, path, getBody(known.email));
  await mails(known.email);
  await drainBehindResponses();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
  holdLookups();
  const again = await post(jar, `${path}/resend`, { flow: body?.flow });
  vi.useRealTimers();
  expect(again.status).toBe(200);
  release();
  expect(await mails(known.email, 2)).toHaveLength(2);
});

test('a code that was emailed after its response sets a new password', async () => {
  const user = await createTestUser();
  const jar = new CookieJar();
  holdLookups();
  const { body } = await post(jar, 'password-reset', { email: user.email });
  release();
  const [mail] = await mails(user.email);
  if (!mail) throw new Error('no email');
  const reset = await post(jar, 'password-reset/confirm', {
    code: codeIn(mail),
    password: 'amber-kettle-93',
    flow: body?.flow,
  });
  expect(reset.status).toBe(200);
});

test('a link to another account is refused before any account is read', async () => {
  const [own, other] = [await createTestUser(), await createTestUser()];
  const code = await createLinkCode(own);
  const fetches = vi.spyOn(globalThis, 'fetch');
  const allowLocks = await breakLocks('insert');
  for (const email of [other.email, newEmail()]) {
    const { status, body } = await post(new CookieJar(), 'actions/sign-in', { code, email });
    expect([status, body?.code]).toEqual([400, 'link-email-wrong']);
  }
  const urls = fetches.mock.calls.map(([input]) => (input instanceof Request ? input.url : String(input)));
  expect(urls.filter((url) => /accounts:(lookup|signIn|resetPassword|update)/.test(url))).toEqual([]);
  await allowLocks();
  // The code is as good as before.
  expect((await post(new CookieJar(), 'actions/sign-in', { code, email: own.email })).status).toBe(200);
});

test('a sign-in link is of the account that it was sent for, not of another one that has its address by now', async () => {
  const [first, later] = [await createTestUser(), await createTestUser()];
  const code = await createLinkCode(first);
  await getIdentityAdmin().updateUser(first.uid, { email: newEmail(), emailVerified: true });
  await getIdentityAdmin().updateUser(later.uid, { email: first.email, emailVerified: true });
  const { status, body } = await post(new CookieJar(), 'actions/sign-in', { code, email: first.email });
  expect([status, body?.code]).toEqual([410, 'action-code-invalid']);
});

test('work that fails behind its response is reported, without the address', async () => {
  const email = newEmail();
  vi.spyOn(getIdentityAdmin(), 'getUserByEmail').mockRejectedValue(new Error('out of order'));
  expect((await post(new CookieJar(), 'password-reset', { email })).status).toBe(200);
  await drainBehindResponses();
  expect(reports).not.toHaveLength(0);
  expect(JSON.stringify(reports)).not.toContain(email);
});
