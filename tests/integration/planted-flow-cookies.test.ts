// Threats: cookie-planting, foreign-confirmation, login-csrf
// Another host of the main domain plants cookies that the specification names. On localhost, no cookie has the prefix
// `__Host-`. So the host plants all cookies except the browser's secret, which it cannot set.
import { describe, expect, inject, test } from 'vitest';
import { getIdentityAdmin, readStoredByEmail } from '@/lib/server/identity/admin';
import { UNPROVED_REGISTRATION_CLAIM } from '@/lib/server/policy/account';
import { readMetrics } from '@/lib/server/runtime/observability/metrics';
import { nextSecond, type CookieJar } from '../support/client';
import { codeIn, linksIn, mailsTo } from '../support/mail';
import { serveSessions, SESSION } from '../support/session-app';
import { createTestUser, fetchIdToken } from '../support/test-users';

const app = serveSessions();
const { call, newBrowser } = app;
const mailbox = { mailboxUrl: inject('mailboxUrl') };
const OWN = 'quiet-lantern-42';
const ATTACKERS = 'staple-battery-9';

/** Copies the cookies that a host of the main domain can set, which are all except those of this host. */
function plant(victim: CookieJar, from: CookieJar, names: RegExp): void {
  for (const [name, value] of Object.entries(from.cookies)) if (names.test(name)) victim.cookies[name] = value;
}
const freshEmail = () => `planted-${crypto.randomUUID().slice(0, 8)}@campus.test`;
const register = async (browser: CookieJar, email: string, password: string) =>
  expect((await call(browser, 'registration', { name: 'Mia Moreau', email, password })).status).toBe(200);
const codeOfLink = (text: string) => new URL(linksIn({ text })[0] ?? '').searchParams.get('oobCode');
const CONFIRMATION = /^email-confirmation-token/;

test('a planted confirmation token does not keep the password of the host that registered the address', async () => {
  const email = freshEmail();
  const [attacker, victim] = [newBrowser(), newBrowser('phone')];
  await register(attacker, email, ATTACKERS);
  plant(victim, attacker, CONFIRMATION);
  const [mail] = await mailsTo(mailbox, email);
  const code = codeOfLink(mail?.text ?? '');
  app.expectCode(await call(victim, 'actions/verify-email', { code }), 403, 'new-password-required');
  expect((await call(victim, 'actions/verify-email', { code, password: OWN })).status).toBe(200);
  const account = await getIdentityAdmin().getUserByEmail(email);
  expect(account.emailVerified).toBe(true);
});

test('nor with a secret of the victim’s own, and an earlier registration in the same browser', async () => {
  const email = freshEmail();
  const [attacker, victim] = [newBrowser(), newBrowser('phone')];
  await register(victim, email, OWN);
  await mailsTo(mailbox, email);
  await register(attacker, email, ATTACKERS);
  const mails = await mailsTo(mailbox, email, 2);
  plant(victim, attacker, CONFIRMATION);
  const code = codeOfLink(mails.at(-1)?.text ?? '');
  app.expectCode(await call(victim, 'actions/verify-email', { code }), 403, 'new-password-required');
});

test('the code of the email confirms nothing by a planted token either', async () => {
  const email = freshEmail();
  const [attacker, victim] = [newBrowser(), newBrowser('phone')];
  await register(attacker, email, ATTACKERS);
  const [mail] = await mailsTo(mailbox, email);
  plant(victim, attacker, CONFIRMATION);
  const code = codeIn(mail ?? { text: '' });
  app.expectCode(await call(victim, 'registration/confirm', { code }), 400, 'code-missing');
  expect(await readStoredByEmail(email)).toBeNull();
  // In the browser that registered, the code confirms.
  expect((await call(attacker, 'registration/confirm', { code })).status).toBe(200);
});

test('a planted reset token sets no password', async () => {
  const { email } = app.user;
  const [attacker, victim] = [newBrowser(), newBrowser('phone')];
  expect((await call(attacker, 'password-reset', { email })).status).toBe(200);
  const [mail] = await mailsTo(mailbox, email);
  plant(victim, attacker, /^auth-password-reset/);
  const body = { code: codeIn(mail ?? { text: '' }), password: OWN };
  app.expectCode(await call(victim, 'password-reset/confirm', body), 400, 'code-missing');
  await nextSecond();
  expect((await call(attacker, 'password-reset/confirm', body)).status).toBe(200);
});

test.each(['initiate-logout', 'clear-device', 'account/sign-out-everywhere'])(
  'planted session cookies do not keep a session from being ended: %s',
  async (path) => {
    const browser = newBrowser();
    await app.signIn(browser);
    const own = browser.cookies[SESSION] ?? '';
    const [head = '', claims = ''] = own.split('.');
    // Cookies of a longer path come first.
    const planted = ['x', 'a.b.c', ...Array.from({ length: 12 }, (_, i) => `${head}.${claims}.${String(i)}`)];
    const { [SESSION]: _, ...others } = browser.cookies;
    const cookies = [
      ...[...planted, own].map((value) => `${SESSION}=${value}`),
      ...Object.entries(others).map(([name, value]) => `${name}=${value}`),
    ];
    const headers = { ...browser.headers, cookie: cookies.join('; ') };
    expect((await fetch(`${app.origin}/api/${path}`, { method: 'POST', headers })).status).toBe(200);
    expect(await app.check(browser)).toBe(401);
  },
);

describe('planted sessions of other accounts, in front of the own one', () => {
  /** This is more than the number of cookies that are checked. */
  const PLANTED = 6;
  /** Sends cookies of a longer path before the browser's own, as a browser does. */
  const send = async (browser: CookieJar, planted: readonly string[], path: string) => {
    const cookie = [...planted.map((value) => `${SESSION}=${value}`), browser.cookieHeader].join('; ');
    const answer = await fetch(`${app.origin}/api/${path}`, {
      method: 'POST',
      headers: { ...browser.headers, cookie },
    });
    return { status: answer.status, body: (await answer.json()) as { uid?: string } };
  };
  async function plantLive() {
    const browser = newBrowser();
    await app.signIn(browser);
    const jars = Array.from({ length: PLANTED }, () => newBrowser('phone'));
    const users = await Promise.all(jars.map(() => createTestUser()));
    for (const [index, jar] of jars.entries()) {
      const user = users[index] ?? expect.unreachable();
      expect((await app.open(jar, await fetchIdToken(user))).status).toBe(200);
    }
    return { browser, jars, users, planted: jars.map(({ cookies }) => cookies[SESSION] ?? '') };
  }

  test('do not take its place, and signing out ends them all', async () => {
    const { browser, jars, planted } = await plantLive();
    expect((await send(browser, planted, 'check-auth-status')).body.uid).toBe(app.user.uid);
    expect((await send(browser, planted, 'initiate-logout')).status).toBe(200);
    for (const jar of [browser, ...jars]) expect(await app.check(jar)).toBe(401);
  });

  /** Counts how many accounts were read at the identity provider. */
  const countReads = async () => {
    const line = /^identity_provider_request_duration_seconds_count\{operation="getUser",.*\} (\d+)$/gm;
    return [...(await readMetrics()).text.matchAll(line)].reduce((sum, [, count]) => sum + Number(count), 0);
  };

  test('that are refused do not hide it, and are not asked about, nor more than some where it is missing', async () => {
    const { browser, users, planted } = await plantLive();
    // Only this app refuses these. The emulator refuses cookies that the identity provider would refuse before our code
    // runs.
    for (const { uid } of users)
      await getIdentityAdmin().setCustomUserClaims(uid, { [UNPROVED_REGISTRATION_CLAIM]: true });
    const reads = async (by: CookieJar, cookies: readonly string[], path: string, status: number) => {
      const before = await countReads();
      expect((await send(by, cookies, path)).status).toBe(status);
      return (await countReads()) - before;
    };
    const alone = await reads(browser, [], 'account/keep', 200);
    // Another read finds out which session is live.
    expect(await reads(browser, planted, 'account/keep', 200)).toBe(alone + 1);
    expect(await reads(newBrowser(), planted, 'check-auth-status', 401)).toBe(4);
  });
});
