import '../support/environment';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { identityAdmin } from '@/lib/server/session';
import { openSession, post, type Answer } from '../support/client';
import { Jar } from '../support/jar';
import { codeIn, linksIn, mailsTo, wrongCode, type Mail } from '../support/mail';
import { googleIdTokenOf, idTokenOf, newPerson, nextSecond, type Person } from '../support/people';
import { serveRoutes, type RunningRoutes } from '../support/routes';
import { startRoutesProcess } from '../support/routes-process';

const NEW_PASSWORD = 'quiet-lantern-42';
const mailbox = { mailboxUrl: inject('mailboxUrl') };

let app: RunningRoutes;
let jar: Jar;
let person: Person;
beforeAll(async () => {
  app = await serveRoutes();
});
afterAll(() => app.close());
beforeEach(async () => {
  vi.useRealTimers();
  jar = new Jar();
  person = await newPerson();
});

const ask = (email = person.email, by = jar) => by.post(`${app.origin}/api/password-reset`, { email });
const reset = (code: string, password = NEW_PASSWORD, by = jar) =>
  by.post(`${app.origin}/api/password-reset/confirm`, { code, password });
const resetByLink = (oobCode: string, password = NEW_PASSWORD, by = jar) =>
  by.post(`${app.origin}/api/actions/reset-password`, { oobCode, password });
const lastMail = async (count = 1, to = person.email) => (await mailsTo(mailbox, to, count)).at(-1) as Mail;
const oobCodeIn = (mail: Mail) => new URL(linksIn(mail)[0] ?? '').searchParams.get('oobCode') ?? '';
const withPassword = (password: string) => idTokenOf({ ...person, password });

describe('a forgotten password', () => {
  test('is reset with the code from the mail; all sessions end, and the owner is told', async () => {
    const session = await openSession(app.origin, await idTokenOf(person));
    const answer = await ask();
    expect([answer.status, answer.body]).toEqual([200, { resendAfter: 30 }]);
    expect(answer.cookies['auth-password-reset']).toMatchObject({ httpOnly: true, secure: true, maxAge: 900 });

    await nextSecond();
    const done = await reset(codeIn(await lastMail()));
    expect(done.status).toBe(200);
    expect(jar.cookies).toEqual({ 'password-update': '1' });
    expect(await withPassword(NEW_PASSWORD)).toEqual(expect.any(String));
    await expect(withPassword(person.password)).rejects.toThrow();
    expect((await post(`${app.origin}/api/check-auth-status`, { cookie: session })).status).toBe(401);
    expect((await lastMail(2)).subject).toBe('Your Campus password was changed');
  });

  test('is reset with the link from the mail, once', async () => {
    await ask();
    const oobCode = oobCodeIn(await lastMail());
    expect((await resetByLink(oobCode)).status).toBe(200);
    expect(await withPassword(NEW_PASSWORD)).toEqual(expect.any(String));
    expect((await resetByLink(oobCode)).body).toMatchObject({ code: 'action-code-invalid', status: 410 });
  });

  test('may be reset by code after the link was used on another device', async () => {
    await ask();
    const mail = await lastMail();
    expect((await resetByLink(oobCodeIn(mail), NEW_PASSWORD, new Jar())).status).toBe(200);
    expect((await reset(codeIn(mail), 'third-lantern-9')).status).toBe(200);
    expect(await withPassword('third-lantern-9')).toEqual(expect.any(String));
  });

  test('proves the mailbox: an unconfirmed address is confirmed', async () => {
    person = await newPerson({ emailVerified: false });
    await ask();
    await reset(codeIn(await lastMail()));
    expect((await identityAdmin().getUser(person.uid)).emailVerified).toBe(true);
  });

  test('takes the legacy mark away, and no other claim', async () => {
    await identityAdmin().setCustomUserClaims(person.uid, { legacy: true, accessLevel: 'teacher' });
    await ask();
    await reset(codeIn(await lastMail()));
    expect((await identityAdmin().getUser(person.uid)).customClaims).toEqual({ accessLevel: 'teacher' });
  });

  test.each(['password1', 'campus-12'])('is not replaced by an easy one, which costs no try: %s', async (password) => {
    await ask();
    const code = codeIn(await lastMail());
    for (let count = 0; count < 6; count += 1) expect((await reset(code, password)).status).toBe(400);
    const [link, anew] = [oobCodeIn(await lastMail()), NEW_PASSWORD];
    expect((await resetByLink(link, password)).status).toBe(400);
    expect((await reset(code, anew)).status).toBe(200);
  });

  test.each(['', 'x', 'not-a-code', 'a'.repeat(513)])('is not reset by a made-up link code: "%s"', async (oobCode) => {
    const { status } = await resetByLink(oobCode);
    expect([400, 410]).toContain(status);
  });
});

describe('a reset code', () => {
  test('dies after five wrong tries, also for who has the right one', async () => {
    await ask();
    const code = codeIn(await lastMail());
    for (let left = 4; left >= 0; left -= 1)
      expect((await reset(wrongCode(code))).body).toMatchObject({ code: 'code-wrong', triesLeft: left });
    expect((await reset(code)).body).toMatchObject({ code: 'code-locked' });
  });

  test('works once', async () => {
    await ask();
    const code = codeIn(await lastMail());
    const second = new Jar();
    Object.assign(second.cookies, jar.cookies);
    expect((await reset(code)).status).toBe(200);
    expect((await reset(code, 'third-lantern-9', second)).body).toMatchObject({ code: 'code-used' });
  });

  test('means nothing to another browser, nor as a confirmation', async () => {
    await ask();
    const code = codeIn(await lastMail());
    expect((await reset(code, NEW_PASSWORD, new Jar())).body).toMatchObject({ code: 'code-missing' });
    jar.cookies['email-confirmation-token'] = jar.cookies['auth-password-reset'] ?? '';
    const confirmed = await jar.post(`${app.origin}/api/registration/confirm`, { code });
    expect(confirmed.body).toMatchObject({ code: 'code-missing' });
  });

  test('expires after 15 minutes', async () => {
    await ask();
    const code = codeIn(await lastMail());
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 900_000 });
    expect((await reset(code)).body).toMatchObject({ code: 'code-expired' });
  });

  test('is sent again after 30 s', async () => {
    await ask();
    expect((await jar.post(`${app.origin}/api/password-reset/resend`)).status).toBe(429);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    expect((await jar.post(`${app.origin}/api/password-reset/resend`)).status).toBe(200);
    expect((await reset(codeIn(await lastMail(2)))).status).toBe(200);
  });
});

describe('an answer', () => {
  const unknown = () => `${randomUUID()}@campus.test`;
  const shape = ({ status, headers, body, cookies }: Answer) => ({
    status,
    body,
    // When a limit ends depends on when the asker began.
    headers: [...headers].map(([name, value]) => (/^(date|set-cookie|retry-after)$/.test(name) ? name : [name, value])),
    cookies: Object.values(cookies).map((cookie) => ({ ...cookie, value: cookie.value?.length })),
  });

  test('is the same for every address, known or not, until the limit and beyond', async () => {
    const googleOnly = unknown();
    await googleIdTokenOf(googleOnly, true);
    const closed = await newPerson();
    await identityAdmin().updateUser(closed.uid, { disabled: true });
    for (let count = 0; count < 6; count += 1) {
      const answers = [];
      // The same length, or the sealed token would differ by it.
      for (const email of [person.email, person.email.replace(/^./, 'z'), googleOnly, closed.email])
        answers.push(shape(await ask(email, new Jar())));
      expect(answers.slice(1)).toEqual([answers[0], answers[0], answers[0]]);
      expect(answers[0]?.status).toBe(count < 5 ? 200 : 429);
    }
  });

  test('is the same when codes are tried', async () => {
    const tries = async (email: string) => {
      const by = new Jar();
      await ask(email, by);
      const answers = [];
      for (let count = 0; count < 6; count += 1) answers.push(shape(await reset('ABCDEF', NEW_PASSWORD, by)));
      return answers;
    };
    expect(await tries(unknown())).toEqual(await tries(person.email));
  });

  test.each([
    ['no account', unknown, 'There is no Campus account for this address'],
    ['a closed account', closedAddress, 'Your Campus account is closed'],
    ['an account without a password', googleAddress, 'How you sign in to Campus'],
  ])('comes with a mail that helps: %s', async (_what, address, subject) => {
    const email = await address();
    await ask(email);
    expect((await lastMail(1, email)).subject).toBe(subject);
  });

  async function closedAddress(): Promise<string> {
    const closed = await newPerson();
    await identityAdmin().updateUser(closed.uid, { disabled: true });
    return closed.email;
  }

  async function googleAddress(): Promise<string> {
    const email = unknown();
    await googleIdTokenOf(email, true);
    return email;
  }
});

describe('how do I sign in?', () => {
  const help = (email: string) => jar.post(`${app.origin}/api/sign-in-help`, { email });

  test('is answered in the mailbox alone', async () => {
    const answers = [await help(person.email), await help(`${randomUUID()}@campus.test`)];
    expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(2).fill([200, { resendAfter: 30 }]));
    const mail = await lastMail();
    expect(mail.subject).toBe('How you sign in to Campus');
    expect(mail.text).toContain('E-mail and password');
  });
});

test('without a mail server nobody is told that a code is on its way', async () => {
  const unreachable = await startRoutesProcess({ SMTP_URL: 'smtp://127.0.0.1:9' });
  for (const email of [person.email, `${randomUUID()}@campus.test`]) {
    const answer = await jar.post(`${unreachable.origin}/api/password-reset`, { email });
    expect(answer.body).toMatchObject({ code: 'mail-unavailable', status: 503 });
    expect(answer.cookies).toEqual({});
  }
  await unreachable.stop();
});
