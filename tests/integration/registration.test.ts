import '../support/environment';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { identityAdmin } from '@/lib/server/session';
import { startRoutesProcess } from '../support/routes-process';
import { Jar } from '../support/jar';
import { codeIn, linksIn, mailsTo, wrongCode } from '../support/mail';
import { idTokenByCustomToken, idTokenOf, newPerson } from '../support/people';
import { serveRoutes, type RunningRoutes } from '../support/routes';

const PASSWORD = 'quiet-lantern-42';
const mailbox = { mailboxUrl: inject('mailboxUrl') };

let app: RunningRoutes;
let jar: Jar;
let email: string;
beforeAll(async () => {
  app = await serveRoutes();
});
afterAll(() => app.close());
beforeEach(() => {
  vi.useRealTimers();
  jar = new Jar();
  email = `${randomUUID()}@campus.test`;
});

const register = (values: object = {}, by = jar) =>
  by.post(`${app.origin}/api/registration`, { name: 'Mia Moreau', email, password: PASSWORD, ...values });
const confirm = (code: string, by = jar) => by.post(`${app.origin}/api/registration/confirm`, { code });
const resend = (by = jar) => by.post(`${app.origin}/api/registration/resend`);
const accountOf = (address: string) => identityAdmin().getUserByEmail(address);
const lastCode = async (count = 1) => codeIn((await mailsTo(mailbox, email, count)).at(-1) ?? { text: '' });

describe('registration', () => {
  test('creates an unverified account, and the code from the mail confirms it', async () => {
    const answer = await register({ email: ` ${email.toUpperCase()} ` });
    expect([answer.status, answer.body]).toEqual([200, { resendAfter: 30 }]);
    expect(answer.cookies['email-confirmation-token']).toMatchObject({ httpOnly: true, secure: true, maxAge: 900 });
    expect(answer.cookies['auth-email-confirmation']).toMatchObject({ value: email });
    expect(answer.cookies['sign-in-email']).toMatchObject({ value: email });
    expect(await accountOf(email)).toMatchObject({ displayName: 'Mia Moreau', emailVerified: false });

    const confirmed = await confirm((await lastCode()).toLowerCase());
    expect(confirmed.status).toBe(200);
    expect((await accountOf(email)).emailVerified).toBe(true);
    const token = await idTokenByCustomToken(String(confirmed.body?.customToken));
    expect((await jar.post(`${app.origin}/api/create-user-session`, { token })).status).toBe(200);
  });

  test('says in its mail what is needed, and nothing else leaves', async () => {
    await register();
    const [mail] = await mailsTo(mailbox, email);
    expect(mail?.from[0]).toEqual({ address: 'no-reply@campus.test', name: 'Campus' });
    expect(mail?.headers['auto-submitted']).toBe('auto-generated');
    expect(mail?.text).toContain('support@campus.test');
    expect(mail?.html).toContain('Mia Moreau');
    expect(mail?.html).not.toMatch(/<(img|script|link)\b/);
    const link = new URL(linksIn(mail ?? { text: '' })[0] ?? '');
    expect([link.origin, link.pathname]).toEqual([app.origin, '/actions']);
    expect(link.searchParams.get('mode')).toBe('verifyEmail');
  });

  test.each([
    ['a short name', { name: 'Mi' }],
    ['a long name', { name: 'M'.repeat(29) }],
    ['a name that advertises', { name: 'https://buy.test' }],
    ['a broken address', { email: 'mia@' }],
    ['two addresses', { email: 'a@campus.test,b@campus.test' }],
    ['a short password', { password: 'short-1' }],
    ['no password', { password: undefined }],
  ])('refuses %s', async (_what, values) => {
    expect((await register(values)).body).toMatchObject({ code: 'bad-request' });
  });

  test.each([
    ['password-common', 'password1'],
    ['password-personal', 'Campus-12'],
  ])('refuses an easy password: %s', async (code, password) => {
    expect((await register({ password })).body).toMatchObject({ code, status: 400 });
  });

  test('refuses a password made of the address', async () => {
    const answer = await register({ email: 'amelie.wong@campus.test', password: 'Amelie.Wong1' });
    expect(answer.body).toMatchObject({ code: 'password-personal' });
  });

  test('lets only our pages register', async () => {
    const address = `${app.origin}/api/registration`;
    const foreign = await fetch(address, { method: 'POST', headers: { origin: 'https://evil.test' } });
    expect(foreign.status).toBe(403);
    const platform = await fetch(address, { method: 'OPTIONS', headers: { origin: 'http://localhost:3001' } });
    expect(platform.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('an address that has an account', () => {
  test('gets the same answer, and its owner a hint', async () => {
    const owner = await newPerson();
    const free = await register();
    const taken = await register({ email: owner.email }, new Jar());
    const seen = ({ status, headers, body, cookies }: typeof free, address: string) => ({
      status,
      body,
      headers: [...headers.entries()].filter(([name]) => !['date', 'set-cookie'].includes(name)),
      cookies: Object.values(cookies).map((cookie) => ({
        ...cookie,
        value: cookie.name === 'email-confirmation-token' ? cookie.value?.length : cookie.value?.replace(address, ''),
      })),
    });
    expect(seen(taken, owner.email)).toEqual(seen(free, email));
    const [mail] = await mailsTo(mailbox, owner.email);
    expect(mail?.subject).toBe('You already have a Campus account');
  });

  test('is given to nobody by any code', async () => {
    const owner = await newPerson();
    await register({ email: owner.email });
    expect((await confirm('ABCDEF')).body).toMatchObject({ code: 'code-wrong', triesLeft: 4 });
    expect(await idTokenOf(owner)).toEqual(expect.any(String));
  });

  test('is said where the operator wants it so', async () => {
    const friendly = await startRoutesProcess({ REVEAL_EXISTING_ACCOUNTS: 'true' });
    const owner = await newPerson();
    const values = { name: 'Mia Moreau', email: owner.email, password: PASSWORD };
    const answer = await jar.post(`${friendly.origin}/api/registration`, values);
    await friendly.stop();
    expect(answer.body).toMatchObject({ code: 'email-taken', status: 409 });
    expect(answer.cookies).toEqual({});
  });

  test('that was never confirmed is registered anew, and earlier codes die with it', async () => {
    await register();
    const first = await lastCode();
    const before = await accountOf(email);
    const second = new Jar();
    await register({ password: 'another-lantern-7' }, second);
    expect((await accountOf(email)).uid).not.toBe(before.uid);
    // The first registrant must not confirm an account that has the second one's password.
    expect((await confirm(first)).body).toMatchObject({ code: 'code-expired' });
    expect((await confirm(await lastCode(2), second)).status).toBe(200);
    expect(await idTokenOf({ uid: '', email, password: 'another-lantern-7' })).toEqual(expect.any(String));
  });

  test('that an operator made is not taken over', async () => {
    const person = await newPerson({ emailVerified: false });
    await identityAdmin().setCustomUserClaims(person.uid, { legacy: true });
    await register({ email: person.email });
    expect((await accountOf(person.email)).uid).toBe(person.uid);
  });
});

describe('a code', () => {
  test('dies after five wrong tries, also for who has the right one', async () => {
    await register();
    const code = await lastCode();
    for (let left = 4; left >= 0; left -= 1)
      expect((await confirm(wrongCode(code))).body).toMatchObject({ code: 'code-wrong', triesLeft: left });
    expect((await confirm(code)).body).toMatchObject({ code: 'code-locked', status: 410 });
  });

  test('works once', async () => {
    await register();
    const code = await lastCode();
    const answers = await Promise.all([confirm(code), confirm(code)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410]);
    expect((await confirm(code)).body).toMatchObject({ code: 'code-used' });
  });

  test('means nothing to another browser', async () => {
    await register();
    expect((await confirm(await lastCode(), new Jar())).body).toMatchObject({ code: 'code-missing' });
  });

  test('expires after 15 minutes', async () => {
    await register();
    const code = await lastCode();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 900_000 });
    expect((await confirm(code)).body).toMatchObject({ code: 'code-expired' });
  });

  test('is sent again after 30 s, and replaces the one before', async () => {
    await register();
    const first = await lastCode();
    const early = await resend();
    expect(early.status).toBe(429);
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(20);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    expect((await resend()).body).toEqual({ resendAfter: 30 });
    expect((await confirm(first)).body).toMatchObject({ code: 'code-wrong' });
    expect((await confirm(await lastCode(2))).status).toBe(200);
  });

  test('is mailed to one address five times an hour', async () => {
    const statuses = [];
    for (let count = 0; count < 6; count += 1) statuses.push((await register({}, new Jar())).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });
});

describe('somebody with the right password and an unconfirmed address', () => {
  test('gets a code', async () => {
    const person = await newPerson({ emailVerified: false });
    email = person.email;
    const answer = await jar.post(`${app.origin}/api/email-confirmation`, { token: await idTokenOf(person) });
    expect(answer.status).toBe(200);
    expect((await confirm(await lastCode())).status).toBe(200);
    expect((await accountOf(email)).emailVerified).toBe(true);
  });

  test('and nobody else does', async () => {
    const token = await idTokenOf(await newPerson());
    const address = `${app.origin}/api/email-confirmation`;
    expect((await jar.post(address, { token })).body).toMatchObject({ code: 'bad-request' });
    expect((await jar.post(address, { token: 'x.y.z' })).body).toMatchObject({ code: 'token-invalid' });
  });
});

test('without a mail server nothing half-done stays', async () => {
  const unreachable = await startRoutesProcess({ SMTP_URL: 'smtp://127.0.0.1:9' });
  const values = { name: 'Mia Moreau', email, password: PASSWORD };
  const answer = await jar.post(`${unreachable.origin}/api/registration`, values);
  expect(answer.body).toMatchObject({ code: 'mail-unavailable', status: 503 });
  expect(answer.cookies).toEqual({});
  await expect(accountOf(email)).rejects.toMatchObject({ code: 'auth/user-not-found' });
  await unreachable.stop();
});
