// ASVS: 6.3.4, 6.4.3, 7.2.4
// Threats: factor-skipped, foreign-confirmation, stolen-session, cookie-planting, planted-factor
import { describe, expect, test } from 'vitest';
import type { TestUser } from '../../support/accounts-client';
import { attackTools } from '../../support/attack';
import { nextSecond, type CookieJar } from '../../support/client';
import { describedCalls } from '../../support/described-calls';
import { codeIn } from '../../support/mail';
import { enrolApp } from '../../support/second-factor';
import { SoftwareAuthenticator } from '../../support/software-authenticator';
import { SoftwareApp } from '../../support/totp';

// Published failures of other identity servers, tried against the built app.

const { at, browser, freshEmail, mails, accounts, endpoints, provider, signInWithIdp } = attackTools();
const SESSION = '_secure-user-session';
const NEW = 'quiet-lantern-42';
const ATTACKERS = 'attacker-pass-1';

const call = (by: CookieJar, path: string, body: object = {}) => by.post(at(`/api/${path}`), body);
const open = async (by: CookieJar, user: TestUser) =>
  call(by, 'create-user-session', { token: await accounts.idToken(user) });
const canSignIn = async (email: string, password: string) =>
  (await provider('accounts:signInWithPassword', { email, password, returnSecureToken: true })).status === 200;
const whose = async (by: CookieJar) => (await call(by, 'check-auth-status')).body?.uid ?? null;
/** Reads a page as its server sends it. */
const read = (by: CookieJar, path: string) =>
  fetch(at(path), { headers: { cookie: by.cookieHeader }, redirect: 'manual' });

/** Creates a browser with only the cookie of a sign-in whose password was correct. */
async function knowPassword(user: TestUser): Promise<CookieJar> {
  const thief = browser();
  const answer = await open(thief, user);
  expect([answer.status, answer.body?.code]).toEqual([403, 'second-factor-required']);
  expect(Object.keys(thief.cookies)).toEqual(['pending-sign-in']);
  return thief;
}

describe("a reset of the attacker, finished for the victim's flow (CVE-2026-18963)", () => {
  async function begin(user: TestUser) {
    const by = browser();
    const { body } = await call(by, 'password-reset', { email: user.email });
    return { by, flow: String(body?.flow), code: codeIn((await mails(user.email)).at(-1) ?? { text: '' }) };
  }

  test.each(['its own cookies', "its own token under the victim's name", "its own token as the newest one's"])(
    'with a right code and %s changes no password',
    async (kind) => {
      const [victim, attacker] = [await accounts.create(), await accounts.create()];
      const [theirs, own] = [await begin(victim), await begin(attacker)];
      const token = own.by.cookies[`auth-password-reset-${own.flow}`] ?? '';
      expect(token).not.toBe('');
      if (kind.includes('name')) own.by.cookies[`auth-password-reset-${theirs.flow}`] = token;
      if (kind.includes('newest')) {
        for (const name of Object.keys(own.by.cookies)) delete own.by.cookies[name];
        own.by.cookies['auth-password-reset'] = token;
      }
      const body = { code: own.code, password: ATTACKERS, flow: theirs.flow };
      const answer = await call(own.by, 'password-reset/confirm', body);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(await canSignIn(victim.email, victim.password)).toBe(true);
      expect(await canSignIn(victim.email, ATTACKERS)).toBe(false);
      // Her own flow continues.
      const finished = await call(theirs.by, 'password-reset/confirm', {
        code: theirs.code,
        password: NEW,
        flow: theirs.flow,
      });
      expect([finished.status, await canSignIn(victim.email, NEW)]).toEqual([200, true]);
    },
  );
});

describe('a sign-in that waits for its second factor (GHSA-xg6x-h9c9-2m83)', () => {
  const calls = describedCalls();
  const ofSession = calls.filter(({ security = [] }) => security.some((each) => 'session' in each));

  test('has calls to try', () => {
    expect(ofSession.length).toBeGreaterThan(20);
    expect(ofSession.map(({ path }) => path)).toContain('/api/passkeys/creation-options');
  });

  test('opens none of all calls, and changes nothing', async () => {
    const victim = await accounts.create();
    await enrolApp(endpoints, victim);
    await nextSecond();
    const thief = await knowPassword(victim);
    const before = await accounts.fetchRecord(victim);
    const others: string[] = [];
    for (const { path, body } of calls) {
      const by = thief.copy();
      const answer = await by.post(at(path), body);
      expect([path, by.cookies[SESSION]]).toEqual([path, undefined]);
      expect([path, JSON.stringify(answer.body ?? {})]).not.toEqual([
        path,
        expect.stringMatching(/customToken|secret"/),
      ]);
      // Status 410 refuses a set-up within the sign-in, because this account has none.
      const isRefused = [401, 410].includes(answer.status);
      if (ofSession.some((each) => each.path === path) && !isRefused) others.push(`${path} ${answer.status}`);
    }
    // Without a request of the app, this call requires no session.
    expect(others).toEqual(['/api/mobile/authorize 400']);
    expect(await accounts.fetchRecord(victim)).toEqual(before);
  });

  test('adds no passkey and no app', async () => {
    const victim = await accounts.create();
    const { codeAt } = await enrolApp(endpoints, victim);
    await nextSecond();
    const thief = await knowPassword(victim);
    const token = await accounts.idToken(victim);
    for (const body of [{ source: 'settings' }, { source: 'settings', token }, { source: 'upgrade', token }])
      expect((await call(thief.copy(), 'passkeys/creation-options', body)).status).toBe(401);
    // These options belong to the attacker's own account.
    const mallory = await accounts.create();
    const own = browser();
    await open(own, mallory);
    const { body } = await call(own, 'passkeys/creation-options', { source: 'settings' });
    const begun = body as { challenge: string; options: Parameters<SoftwareAuthenticator['create']>[0] };
    const authenticator = new SoftwareAuthenticator();
    const response = authenticator.create(begun.options, { origin: endpoints.appOrigin });
    const added = await call(thief.copy(), 'passkeys/add', { challenge: begun.challenge, response });
    expect([added.status, added.body?.code]).toEqual([401, 'session-required']);
    for (const path of ['add-app', 'confirm-app', 'confirm-codes']) {
      const answer = await call(thief.copy(), `second-factor/${path}`, {
        signIn: 'waiting',
        code: '123456',
        recoveryCode: 'AAAA-AAAA-AAAA-AAAA',
        token,
      });
      expect([path, answer.status]).toEqual([path, 410]);
    }
    // Only the owner's code completes it.
    expect((await call(thief, 'second-factor/sign-in', { code: codeAt() })).status).toBe(200);
  });
});

test('a second factor that was set up during the sign-in is not set up twice (CVE-2026-37982)', async () => {
  const user = await accounts.create();
  const learner = browser();
  learner.cookies.acr_values = 'aal2';
  expect((await open(learner, user)).body?.code).toBe('second-factor-setup-required');
  const signIn = 'waiting';
  const { body } = await call(learner, 'second-factor/add-app', { signIn });
  const app = new SoftwareApp(String(body?.secret));
  const codeAt = (offset: number) => app.codeAt(Math.floor((Date.now() / 1000 + offset) / 30));
  const confirm = () => call(learner, 'second-factor/confirm-app', { signIn, code: codeAt(-30) });
  const first = await confirm();
  const { recoveryCodes = [] } = ((first.status === 200 ? first : await confirm()).body ?? {}) as {
    recoveryCodes?: string[];
  };
  const copies = [learner.copy(), learner.copy(), learner.copy()];
  const finish = (by: CookieJar) => call(by, 'second-factor/confirm-codes', { signIn, recoveryCode: recoveryCodes[0] });
  const finished = await Promise.all(copies.map(finish));
  expect(finished.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(copies.filter(({ cookies }) => cookies[SESSION] !== undefined)).toHaveLength(1);
  // Later attempts also fail, from the beginning or from any step.
  for (const [path, more] of [
    ['add-app', {}],
    ['confirm-app', { code: codeAt(0) }],
    ['confirm-codes', { recoveryCode: recoveryCodes[1] }],
  ] as const) {
    const late = learner.copy();
    const answer = await call(late, `second-factor/${path}`, { signIn, ...more });
    expect([path, answer.status, late.cookies[SESSION]]).toEqual([path, 410, undefined]);
  }
});

test('a proof of one Google account stands for no other one (CVE-2026-9087)', async () => {
  const identify = (email: string) => ({ sub: email, email, email_verified: true });
  const [victims, attackers] = [freshEmail('gmail.test'), freshEmail('gmail.test')];
  const victim = await accounts.create();
  await signInWithIdp('google.com', identify(victims), await accounts.idToken(victim));
  const session = browser();
  await open(session, victim);
  const foreign = (await signInWithIdp('google.com', identify(attackers))).body;
  expect(foreign.localId).not.toBe(victim.uid);
  const before = await accounts.fetchRecord(victim);
  for (const [path, body] of [
    ['account/unlink-method', { method: 'google.com' }],
    ['account/data', {}],
    ['account/delete', {}],
  ] as const) {
    const answer = await call(session, path, { ...body, token: foreign.idToken });
    expect([path, answer.status]).toEqual([path, 403]);
  }
  expect(await accounts.fetchRecord(victim)).toEqual(before);
  // An identity that claims the victim's address only joins its own account.
  const claimed = (await signInWithIdp('google.com', { sub: attackers, email: victims, email_verified: true })).body;
  expect(claimed.localId).not.toBe(victim.uid);
  expect(await accounts.fetchMethods(victim)).toEqual(['google.com', 'password']);
});

describe('cookies that another host has planted (CVE-2026-7507)', () => {
  test("an attacker's reset makes the victim's code set no password", async () => {
    const [victim, attacker] = [await accounts.create(), await accounts.create()];
    const own = browser();
    const { body } = await call(own, 'password-reset', { email: attacker.email });
    const learner = browser();
    await call(learner, 'password-reset', { email: victim.email });
    const code = codeIn((await mails(victim.email)).at(-1) ?? { text: '' });
    Object.assign(learner.cookies, own.cookies);
    const answer = await call(learner, 'password-reset/confirm', { code, password: NEW, flow: body?.flow });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    for (const each of [victim, attacker]) expect(await canSignIn(each.email, NEW)).toBe(false);
  });

  test("an attacker's sign-in that waits is not completed by the victim", async () => {
    const [victim, attacker] = [await accounts.create(), await accounts.create()];
    const [{ codeAt }] = [await enrolApp(endpoints, victim), await enrolApp(endpoints, attacker)];
    await nextSecond();
    const planted = await knowPassword(attacker);
    const learner = browser();
    Object.assign(learner.cookies, planted.cookies);
    expect((await call(learner, 'second-factor/sign-in', { code: codeAt() })).body?.code).toBe('code-wrong');
    // Her own sign-in replaces it.
    await open(learner, victim);
    expect((await call(learner, 'second-factor/sign-in', { code: codeAt() })).status).toBe(200);
    expect(await whose(learner)).toBe(victim.uid);
  });

  test.each(['https://evil.example/', 'http://localhost.evil.example/', '//evil.example', 'javascript:alert(1)'])(
    'a callback and a partner callback of %s lead nowhere',
    async (address) => {
      const learner = browser();
      await open(learner, await accounts.create());
      Object.assign(learner.cookies, { callbackUrl: address, oidc_original_callback_url: address });
      for (const path of ['/sign-in', '/partner-auth/initiate?partner=demo', '/registration']) {
        const response = await read(learner, path);
        expect(response.headers.get('location') ?? '').not.toContain('evil');
        expect(response.headers.get('location') ?? '').not.toContain('javascript:');
      }
    },
  );

  test.each(['evil://oauth-callback', 'https://evil.example/cb'])(
    "a mobile app's request for %s gets no code",
    async (redirectUri) => {
      const learner = browser();
      await open(learner, await accounts.create());
      const value = [redirectUri, 'state-1234', 'c'.repeat(43)].join('\n');
      learner.cookies['mobile-request'] = Buffer.from(value).toString('base64url');
      const page = await (await read(learner, '/mobile/account-selection')).text();
      expect(page).not.toContain('evil');
      const answer = await call(learner, 'mobile/authorize', { request: 'a'.repeat(43) });
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer.body)).not.toContain('evil');
    },
  );
});

test('the next user of a browser after half of the cookies were cleared is no one but that user (CVE-2025-12390)', async () => {
  const [first, second] = [await accounts.create(), await accounts.create()];
  const used = browser();
  await open(used, first);
  const names = Object.keys(used.cookies);
  expect(names.length).toBeGreaterThan(4);
  for (const name of [...names, SESSION]) {
    // Tries the cookies without this cookie, and this cookie alone.
    for (const isLeft of [(each: string) => each !== name, (each: string) => each === name]) {
      const next = browser();
      for (const each of names.filter(isLeft)) next.cookies[each] = used.cookies[each] ?? '';
      const hasSession = next.cookies[SESSION] !== undefined;
      expect([name, await whose(next)]).toEqual([name, hasSession ? first.uid : null]);
      if (!hasSession) {
        const page = await (await read(next, '/security')).text();
        expect([page.includes(first.email), page.includes(first.name)]).toEqual([false, false]);
        expect((await call(next, 'renew-user-session')).status).toBe(401);
      }
    }
  }
  const left = used.copy();
  delete left.cookies[SESSION];
  expect((await open(left, second)).status).toBe(200);
  expect([await whose(left), left.cookies.kk_uid]).toEqual([second.uid, second.uid]);
  expect(await (await read(left, '/security')).text()).not.toContain(first.email);
});
