// ASVS: 6.4.3
// Threats: foreign-confirmation
import { describe, expect, test } from 'vitest';
import { attackTools } from '../../support/attack';
import { nextSecond, type CookieJar } from '../../support/client';
import { codeIn, linksIn } from '../../support/mail';

const { at, browser, freshEmail, mails, accounts, provider } = attackTools();
const SESSION = '_secure-user-session';
const NEW = 'quiet-lantern-42';

const call = (by: CookieJar, path: string, body: object = {}) => by.post(at(`/api/${path}`), body);
const canSignIn = async (email: string, password: string) =>
  (await provider('accounts:signInWithPassword', { email, password, returnSecureToken: true })).status === 200;

describe('an email scanner that opens each link and submits its form', () => {
  /** Opens the page of a link, follows its redirect, and submits its form empty. */
  async function scan(link: string, calls: [string, object][]) {
    const by = browser();
    const opened = await fetch(link, { redirect: 'manual' });
    expect(opened.status).toBeLessThan(400);
    const code = new URL(link).searchParams.get('oobCode');
    const answers = [];
    for (const [path, body] of calls) answers.push(await call(by, path, { code, oobCode: code, ...body }));
    expect(by.cookies[SESSION]).toBeUndefined();
    expect(JSON.stringify(answers.map(({ body }) => body))).not.toMatch(/customToken/);
    return answers.map(({ status }) => status);
  }
  const linkIn = async (email: string) => linksIn((await mails(email)).at(-1) ?? { text: '' })[0] ?? '';

  test('confirms no registration: the code of the same email does', async () => {
    const email = freshEmail();
    const learner = browser();
    await call(learner, 'registration', { name: 'Mia Moreau', email, password: NEW });
    const [mail] = await mails(email);
    expect(await scan(await linkIn(email), [['actions/verify-email', {}]])).toEqual([403]);
    expect(await accounts.isVerified(email)).toBe(false);
    expect((await call(learner, 'registration/confirm', { code: codeIn(mail ?? { text: '' }) })).status).toBe(200);
    expect(await canSignIn(email, NEW)).toBe(true);
  });

  test('signs in to nothing by a sign-in link, which then still signs the learner in', async () => {
    const user = await accounts.create();
    // A link from the second of its account's creation no longer works.
    await nextSecond();
    await call(browser(), 'email-link', { email: user.email });
    const link = await linkIn(user.email);
    for (const status of await scan(link, [
      ['actions/sign-in', {}],
      ['actions/sign-in', { email: freshEmail() }],
    ]))
      expect(status).toBeGreaterThanOrEqual(400);
    const code = new URL(link).searchParams.get('oobCode');
    const answer = await call(browser(), 'actions/sign-in', { code, email: user.email });
    expect([answer.status, typeof answer.body?.customToken]).toEqual([200, 'string']);
  });

  test('sets no password by the link of a reset, whose code goes on', async () => {
    const user = await accounts.create();
    const learner = browser();
    const { body } = await call(learner, 'password-reset', { email: user.email });
    const [mail] = await mails(user.email);
    expect(
      await scan(await linkIn(user.email), [
        ['actions/reset-password', {}],
        ['actions/reset-password', { password: '' }],
      ]),
    ).toEqual([400, 400]);
    expect(await canSignIn(user.email, user.password)).toBe(true);
    const confirmed = await call(learner, 'password-reset/confirm', {
      code: codeIn(mail ?? { text: '' }),
      password: NEW,
      flow: body?.flow,
    });
    expect([confirmed.status, await canSignIn(user.email, NEW)]).toEqual([200, true]);
  });
});
