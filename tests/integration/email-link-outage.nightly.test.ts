// Threats: dependency-failure
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { callProvider, idpResponse } from '../support/accounts-client';
import { openSession, post } from '../support/client';
import { mailsBesidesAlerts } from '../support/mail';
import { idTokenByCustomToken, fetchIdToken, createTestUser, type TestUser } from '../support/test-users';
import { setProviderHost } from '../support/provider';
import { createLinkCode } from '../support/sign-in-link';
import { servedRoutes } from '../support/served-routes';

/**
 * Outcome of an app's request to the identity provider. `lost`: the request is processed, but its response never
 * arrives.
 */
type Fault = 'none' | 'refused' | 'lost';
const noFault = (): Fault => 'none';
let chooseFault: (path: string, body: string) => Fault = noFault;

let gate: Server;

beforeAll(async () => {
  const emulator = process.env.FIREBASE_AUTH_EMULATOR_HOST ?? '';
  gate = createServer((req, res) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      const fault = chooseFault(req.url ?? '', body);
      if (fault === 'refused') return res.destroy();
      const { authorization } = req.headers;
      const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) };
      const init = { method: req.method ?? 'GET', headers, ...(body && { body }) };
      const answer = await fetch(`http://${emulator}${req.url ?? ''}`, init);
      const text = await answer.text();
      if (fault === 'lost') return res.destroy();
      res.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
    })();
  });
  await new Promise<void>((ready) => gate.listen(0, '127.0.0.1', ready));
  await setProviderHost(`127.0.0.1:${String((gate.address() as AddressInfo).port)}`);
});
const app = servedRoutes();
beforeEach(() => (chooseFault = noFault));
afterAll(() => {
  gate.closeAllConnections();
  gate.close();
});

/** Creates an attacker's account with the owner's email, and a link that was sent to the owner. */
async function squat(): Promise<{ stranger: TestUser; code: string }> {
  const stranger = await createTestUser({ emailVerified: false });
  return { stranger, code: await createLinkCode(stranger) };
}

const open = (code: string, { email }: TestUser) =>
  post(`${app.origin}/api/actions/sign-in`, { body: { code, email } });
const create = (token: string) => post(`${app.origin}/api/create-user-session`, { body: { token } });
const isVerified = async ({ uid }: TestUser) => (await getIdentityAdmin().getUser(uid)).emailVerified;

const isChange = (path: string, body: string) =>
  path.includes('accounts:update') && body.includes('"emailVerified":true');
const isSetBack = (path: string, body: string) =>
  path.includes('accounts:update') && body.includes('"emailVerified":false');

/** Loses the response to the first request of a kind, which is processed. */
function loseOnce(isIt: (path: string, body: string) => boolean): void {
  let isLost = false;
  chooseFault = (path, body) => {
    if (isLost || !isIt(path, body)) return 'none';
    isLost = true;
    return 'lost';
  };
}

async function expectStrangerLockedOut(stranger: TestUser): Promise<void> {
  expect(await isVerified(stranger)).toBe(false);
  const answer = await create(await fetchIdToken(stranger));
  expect([answer.status, answer.body?.code]).toEqual([403, 'email-not-verified']);
  expect(answer.cookies).toEqual({});
}

test.each<[string, Fault]>([
  ['is not carried out', 'refused'],
  ['is carried out, and its answer lost', 'lost'],
])('a change that %s three times still succeeds', async (_name, fault) => {
  const { stranger, code } = await squat();
  let failed = 0;
  chooseFault = (path, body) => (isChange(path, body) && (failed += 1) <= 3 ? fault : 'none');
  const answer = await open(code, stranger);
  expect([answer.status, failed]).toEqual([200, 4]);
  expect(await isVerified(stranger)).toBe(true);
  await expect(fetchIdToken(stranger)).rejects.toThrow(/INVALID/);
  const token = await idTokenByCustomToken(String(answer.body?.customToken));
  expect((await create(token)).status).toBe(200);
});

test('a change that is carried out, and its answer lost, is told with what it has removed', async () => {
  const { stranger, code } = await squat();
  const providerToLink = { providerId: 'google.com', uid: stranger.uid, email: stranger.email };
  await getIdentityAdmin().updateUser(stranger.uid, { providerToLink });
  loseOnce(isChange);
  expect((await open(code, stranger)).status).toBe(200);
  const [mail] = await mailsBesidesAlerts({ mailboxUrl: inject('mailboxUrl') }, stranger.email);
  expect(mail?.text).toMatch(/^Removed sign-in methods: .*Google/m);
});

test('a failed change leaves the account unverified', async () => {
  const { stranger, code } = await squat();
  let failed = 0;
  chooseFault = (path, body) => (isChange(path, body) && (failed += 1) > 0 ? 'refused' : 'none');
  const answer = await open(code, stranger);
  expect([answer.status, answer.body?.code, failed]).toEqual([503, 'provider-unavailable', 4]);
  chooseFault = noFault;
  await expectStrangerLockedOut(stranger);
});

test('so does a change whose rollback fails at first', async () => {
  const { stranger, code } = await squat();
  let failed = 0;
  chooseFault = (path, body) =>
    isChange(path, body) || (isSetBack(path, body) && (failed += 1) <= 3) ? 'refused' : 'none';
  expect((await open(code, stranger)).status).toBe(503);
  expect(failed).toBe(4);
  chooseFault = noFault;
  await expectStrangerLockedOut(stranger);
});

test('so does a code that was consumed without a response', async () => {
  const { stranger, code } = await squat();
  chooseFault = (path) => (path.includes('signInWithEmailLink') ? 'lost' : 'none');
  expect((await open(code, stranger)).status).toBe(503);
  chooseFault = noFault;
  await expectStrangerLockedOut(stranger);
});

test('a verified account stays verified after any failure', async () => {
  const { stranger: owner, code } = await squat();
  await getIdentityAdmin().updateUser(owner.uid, { emailVerified: true });
  let setBacks = 0;
  chooseFault = (path, body) => {
    if (isSetBack(path, body)) setBacks += 1;
    return path.includes('accounts:update') || path.includes('signInWithEmailLink') ? 'lost' : 'none';
  };
  expect((await open(code, owner)).status).toBe(503);
  chooseFault = noFault;
  expect([await isVerified(owner), setBacks]).toEqual([true, 0]);
});

test('a link is not used up when the sign-in that it proved meets an outage, and signs in once', async () => {
  const { stranger, code } = await squat();
  const outage = vi.spyOn(getIdentityAdmin(), 'createCustomToken').mockRejectedValue(new Error('out of order'));
  expect((await open(code, stranger)).status).toBeGreaterThanOrEqual(500);
  outage.mockRestore();
  const answers = await Promise.all([1, 2, 3].map(() => open(code, stranger)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410]);
  const token = String(answers.find(({ status }) => status === 200)?.body?.customToken);
  expect((await create(await idTokenByCustomToken(token))).status).toBe(200);
  expect((await open(code, stranger)).status).toBe(410);
});

test('a wrong email rolls nothing back', async () => {
  const { stranger } = await squat();
  const { code } = await squat();
  let setBacks = 0;
  chooseFault = (path, body) => {
    if (isSetBack(path, body)) setBacks += 1;
    return 'none';
  };
  expect((await open(code, stranger)).status).toBe(400);
  expect(setBacks).toBe(0);
});

describe('a reset link', () => {
  const use = (oobCode: string) =>
    post(`${app.origin}/api/actions/reset-password`, { body: { oobCode, password: 'quiet-lantern-42' } });
  async function squatWithResetLink(): Promise<{ stranger: TestUser; code: string }> {
    const { stranger } = await squat();
    const link = await getIdentityAdmin().generatePasswordResetLink(stranger.email);
    return { stranger, code: new URL(link).searchParams.get('oobCode') ?? '' };
  }

  test('is not used up, and verifies nothing, when the account cannot be changed', async () => {
    const { stranger, code } = await squatWithResetLink();
    chooseFault = (path, body) => (isChange(path, body) ? 'refused' : 'none');
    expect((await use(code)).status).toBe(503);
    chooseFault = noFault;
    expect(await isVerified(stranger)).toBe(false);
    expect((await create(await fetchIdToken(stranger))).status).toBe(401);
    expect((await use(code)).status).toBe(200);
    await expect(fetchIdToken(stranger)).rejects.toThrow();
  });

  test('has done its work when the provider cannot mark its code as used', async () => {
    const { stranger, code } = await squatWithResetLink();
    chooseFault = (path, body) => (path.includes('resetPassword') && body.includes('newPassword') ? 'refused' : 'none');
    expect((await use(code)).status).toBe(200);
    expect((await use(code)).status).toBe(410);
    chooseFault = noFault;
    expect(await isVerified(stranger)).toBe(true);
    await expect(fetchIdToken(stranger)).rejects.toThrow();
  });

  test('has set the password when the answer to that is lost, and its owner is told', async () => {
    const { stranger, code } = await squatWithResetLink();
    loseOnce(isChange);
    expect((await use(code)).status).toBe(200);
    await fetchIdToken({ ...stranger, password: 'quiet-lantern-42' });
    expect(await mailsBesidesAlerts({ mailboxUrl: inject('mailboxUrl') }, stranger.email)).toHaveLength(1);
  });
});

describe('a change of the signed-in user whose answer is lost', () => {
  const signedIn = async () => {
    const user = await createTestUser();
    const token = await fetchIdToken(user);
    return { user, token, cookie: await openSession(app.origin, token) };
  };
  const subjectsTo = async ({ email }: TestUser) =>
    (await mailsBesidesAlerts({ mailboxUrl: inject('mailboxUrl') }, email)).map(({ subject }) => subject);

  test('is a new password, with its session and email', async () => {
    const { user, cookie } = await signedIn();
    loseOnce((path, text) => path.includes('accounts:update') && text.includes('"password":'));
    const body = { current: user.password, password: 'quiet-lantern-42' };
    const answer = await post(`${app.origin}/api/account/password`, { cookie, body });
    expect(answer).toMatchObject({ status: 200, body: { signedIn: true } });
    expect(await subjectsTo(user)).toEqual(['Your Campus password was changed']);
  });

  test('is the removal of a method, with its session and email', async () => {
    const { user, token, cookie } = await signedIn();
    const identity = { sub: `google.com-${user.uid}`, email: user.email, email_verified: true };
    const emulator = { emulatorHost: inject('emulatorHost'), projectId: 'demo-campus' };
    await callProvider(emulator, 'accounts:signInWithIdp', { ...idpResponse('google.com', identity), idToken: token });
    loseOnce((path, text) => path.includes('accounts:update') && text.includes('"deleteProvider":["google.com"]'));
    const body = { token, method: 'google.com' };
    const answer = await post(`${app.origin}/api/account/unlink-method`, { cookie, body });
    expect(answer).toMatchObject({ status: 200, body: { customToken: expect.any(String) as string } });
    expect(await subjectsTo(user)).toEqual(['A sign-in method was removed from your Campus account']);
  });
});
