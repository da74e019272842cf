// Threats: cookie-planting, foreign-confirmation, login-csrf
// Another host of the main domain plants cookies that the specification names. On localhost no cookie has the prefix `__Host-`: the host plants
// all but the secret of the browser, which it cannot set.
import { expect, inject, test } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { nextSecond, type CookieJar } from '../support/client';
import { codeIn, linksIn, mailsTo } from '../support/mail';
import { serveSessions, SESSION } from '../support/session-app';

const app = serveSessions();
const { call, newBrowser } = app;
const mailbox = { mailboxUrl: inject('mailboxUrl') };
const OWN = 'quiet-lantern-42';
const ATTACKERS = 'staple-battery-9';

/** What a host of the main domain can set: all but what is of this host alone. */
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
  expect((await getIdentityAdmin().getUserByEmail(email)).emailVerified).toBe(false);
  // In the browser that registered, it does.
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
    // Those of a longer path come first.
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
