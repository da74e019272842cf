// ASVS: 6.4.3, 6.5.1
// Threats: code-guessing, login-csrf
import { beforeEach, describe, expect, inject, test } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { CookieJar, maskFlow, nextSecond, openSession, post, type Answer } from '../support/client';
import { codeIn, mailsBesidesAlerts, wrongCode, type Mail } from '../support/mail';
import { oobCodeIn } from '../support/recovery';
import { servedRoutes } from '../support/served-routes';
import { createTestUser, idTokenByCustomToken, type TestUser } from '../support/test-users';

const app = servedRoutes();
const at = (path: string) => `${app.origin}/api/${path}`;
const result = ({ status, body }: Answer) => [status, body?.code];

let user: TestUser;
let jar: CookieJar;
beforeEach(async () => {
  user = await createTestUser();
  jar = new CookieJar();
  // A code from the second of its account's creation does not work.
  await nextSecond();
});

const ask = async (email = user.email, by = jar) => {
  const answer = await by.post(at('email-link'), { email });
  return { answer, flow: String(answer.body?.flow) };
};
const lastMail = async (count = 1, to = user.email) =>
  (await mailsBesidesAlerts({ mailboxUrl: inject('mailboxUrl') }, to, count)).at(-1) as Mail;
const enter = (flow: string, code: string, by = jar) => by.post(at('email-link/confirm'), { flow, code });
const followLink = (mail: Mail, email = user.email, by = new CookieJar()) =>
  by.post(at('actions/sign-in'), { code: oobCodeIn(mail), email });

describe('the code of an emailed sign-in', () => {
  test('signs in once, and the link of its email ends', async () => {
    const { answer, flow } = await ask();
    expect([answer.status, answer.body]).toEqual([
      200,
      { resendAfter: 30, flow: expect.stringMatching(/^[\w-]{12}$/) as string },
    ]);
    expect(answer.cookies[`sign-in-code-${flow}`]).toMatchObject({ httpOnly: true, secure: true, maxAge: 900 });
    const mail = await lastMail();
    const done = await enter(flow, codeIn(mail).toLowerCase());
    expect(done.status).toBe(200);
    const session = await openSession(app.origin, await idTokenByCustomToken(String(done.body?.customToken)));
    expect((await post(at('check-auth-status'), { cookie: session })).body).toMatchObject({ uid: user.uid });
    expect(result(await enter(flow, codeIn(mail)))).toEqual([410, 'code-used']);
    expect(result(await followLink(mail))).toEqual([410, 'action-code-invalid']);
  });

  test('ends when the link is used elsewhere', async () => {
    const { flow } = await ask();
    const mail = await lastMail();
    expect((await followLink(mail)).status).toBe(200);
    expect(result(await enter(flow, codeIn(mail)))).toEqual([410, 'code-used']);
  });

  test('and its link sign in only one of two browsers that use them at the same moment', async () => {
    const { flow } = await ask();
    const mail = await lastMail();
    const answers = await Promise.all([enter(flow, codeIn(mail)), followLink(mail), enter(flow, codeIn(mail))]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('works in no other browser, not even with its cookie', async () => {
    const { answer, flow } = await ask();
    const code = codeIn(await lastMail());
    const attacker = new CookieJar();
    expect(result(await enter(flow, code, attacker))).toEqual([400, 'code-missing']);
    const name = `sign-in-code-${flow}`;
    attacker.cookies[name] = String(answer.cookies[name]?.value);
    expect(result(await enter(flow, code, attacker))).toEqual([400, 'code-missing']);
    await ask(user.email, attacker);
    expect(result(await enter(flow, code, attacker))).toEqual([400, 'code-missing']);
    expect((await enter(flow, code)).status).toBe(200);
  });

  test('belongs to its flow and its purpose', async () => {
    const { flow } = await ask();
    const code = codeIn(await lastMail());
    const { body } = await jar.post(at('password-reset'), { email: user.email });
    const reset = String(body?.flow);
    jar.cookies[`sign-in-code-${reset}`] = jar.cookies[`auth-password-reset-${reset}`] ?? '';
    expect(result(await enter(reset, codeIn(await lastMail(2))))).toEqual([400, 'code-missing']);
    expect(result(await enter('another-flow', code))).toEqual([400, 'code-missing']);
    const confirm = { flow, code, password: 'quiet-lantern-42' };
    expect(result(await jar.post(at('password-reset/confirm'), confirm))).toEqual([400, 'code-missing']);
  });

  test('ends after five wrong tries', async () => {
    const { flow } = await ask();
    const code = codeIn(await lastMail());
    for (const triesLeft of [4, 3, 2, 1, 0])
      expect((await enter(flow, wrongCode(code))).body).toMatchObject({ code: 'code-wrong', triesLeft });
    expect((await enter(flow, code)).body).toMatchObject({ code: 'code-locked' });
  });

  test.each([
    ['the sign-ins of its account were revoked', () => getIdentityAdmin().revokeRefreshTokens(user.uid)],
    ['its account was disabled', () => getIdentityAdmin().updateUser(user.uid, { disabled: true })],
    ['its account has another email', () => getIdentityAdmin().updateUser(user.uid, { email: `moved-${user.email}` })],
    ['its account is no longer verified', () => getIdentityAdmin().updateUser(user.uid, { emailVerified: false })],
    [
      'another account has its email',
      async () => {
        await getIdentityAdmin().deleteUser(user.uid);
        await getIdentityAdmin().createUser({ email: user.email, emailVerified: true });
      },
    ],
  ])('ends when %s', async (_, change) => {
    const { flow } = await ask();
    const code = codeIn(await lastMail());
    await nextSecond();
    await change();
    expect(result(await enter(flow, code))).toEqual([410, 'code-expired']);
  });

  test('is replaced by the code of the next email, and the next email of the page has the same flow', async () => {
    const { flow } = await ask();
    const first = codeIn(await lastMail());
    expect((await ask()).flow).toBe(flow);
    const second = codeIn(await lastMail(2));
    expect((await enter(flow, first)).body).toMatchObject({ code: 'code-wrong' });
    expect((await enter(flow, second)).status).toBe(200);
  });

  test('is not emailed to an unverified account, whose link needs a new password', async () => {
    await getIdentityAdmin().updateUser(user.uid, { emailVerified: false });
    await ask();
    const mail = await lastMail();
    expect(mail.text).not.toMatch(/^[0-9A-Z]{6}$/m);
  });
});

test('an address without an account has the same response, and its tries end, too', async () => {
  const known = await ask();
  const unknown = await ask(`unknown-${user.email}`, new CookieJar());
  expect(maskFlow(unknown.answer).body).toEqual(maskFlow(known.answer).body);
  const sizes = [known, unknown].map(({ answer, flow }) => answer.cookies[`sign-in-code-${flow}`]?.value?.length);
  expect(sizes[0]).toBe(sizes[1]);
  const stranger = new CookieJar();
  const { flow } = await ask(`other-${user.email}`, stranger);
  for (let tries = 0; tries < 5; tries += 1)
    expect((await enter(flow, 'ABC234', stranger)).body).toMatchObject({ code: 'code-wrong' });
  expect((await enter(flow, 'ABC234', stranger)).body).toMatchObject({ code: 'code-locked' });
});
