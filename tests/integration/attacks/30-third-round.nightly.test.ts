// Threats: unnoticed-sign-in, malicious-input, cache-poisoning
// Written independently of the code that stops these attacks. They use the language of warnings, a client's data about
// itself, and addresses without a page.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startOtherApp } from '../../../scripts/lib/stack.mjs';
import { callProvider, createAccountsClient } from '../../support/accounts-client';
import { CookieJar, nextSecond } from '../../support/client';
import { readMailbox } from '../../support/mail';
import { registerOwner } from '../../support/registered';

const shared = inject('endpoints');
const accounts = createAccountsClient(shared);
const SESSION = '_secure-user-session';

let app: Awaited<ReturnType<typeof startOtherApp>>;
beforeAll(async () => {
  app = await startOtherApp(shared, { LOCALES: 'en,ja' });
});
afterAll(() => app.stop());

const at = (path: string) => app.endpoints.appOrigin + path;
const newBrowser = () =>
  new CookieJar({ origin: app.endpoints.appOrigin, 'sec-fetch-site': 'same-origin', 'accept-language': 'en' });
const call = (by: CookieJar, path: string, body?: object) => by.post(at(`/api/${path}`), body);
const signIn = async (by: CookieJar, user: { email: string; password: string }) =>
  (await call(by, 'create-user-session', { token: await accounts.idToken(user) })).status;
const visit = (path: string, headers: Record<string, string> = {}) => fetch(at(path), { redirect: 'manual', headers });
const expectMail = (email: string, subject: string) =>
  expect
    .poll(async () => (await readMailbox(shared, email)).map((mail) => mail.subject), { timeout: 60_000 })
    .toContain(subject);

describe('the language in which an owner is warned', () => {
  const prepare = async () => {
    const laptop = newBrowser();
    const owner = await registerOwner(app.endpoints, (path, body) => laptop.post(at(path), body));
    await nextSecond();
    return { laptop, owner };
  };

  test('is not chosen by who has a copy of the session cookie, nor in a new browser', async () => {
    const { laptop, owner } = await prepare();
    const copied = { cookie: `${SESSION}=${laptop.cookies[SESSION] ?? ''}` };
    expect((await visit('/security?lang=ja', copied)).status).toBe(200);
    const intruder = newBrowser();
    intruder.cookies.lang = 'ja';
    expect(await signIn(intruder, owner)).toBe(200);
    await expectMail(owner.email, 'New sign-in to Campus');
    // The intruder tries a page, and another sign-in in the browser that is now known.
    expect((await visit('/security?lang=ja', { cookie: intruder.cookieHeader })).status).toBe(200);
    expect(await signIn(intruder, owner)).toBe(200);
    await nextSecond();
    expect((await call(intruder, 'account/sign-out-everywhere')).status).toBe(200);
    await expectMail(owner.email, 'Devices were signed out of your Campus account');
  });

  test('is chosen in the first browser of the account', async () => {
    const { laptop, owner } = await prepare();
    expect((await visit('/security?lang=ja', { cookie: laptop.cookieHeader })).status).toBe(200);
    expect((await call(laptop, 'account/sign-out-everywhere')).status).toBe(200);
    await expectMail(owner.email, 'Campusのアカウントからデバイスがログアウトしました');
  });
});

describe('what a client has written about itself at the identity provider', () => {
  test.each([
    ['the end of a line', 'Mia\r\nBcc: mallory@mallory.test', 'javascript:alert(1)'],
    ['a direction', '\u202EMia\u0000Bcc: mallory@mallory.test', 'data:text/html,x'],
  ])(
    'reaches the platform without %s, and without a picture that is no address',
    async (_what, displayName, photoUrl) => {
      const user = await accounts.create();
      const idToken = await accounts.idToken(user);
      expect(await callProvider(shared, 'accounts:update', { idToken, displayName, photoUrl })).toMatchObject({
        status: 200,
      });
      await nextSecond();
      const browser = newBrowser();
      expect(await signIn(browser, user)).toBe(200);
      const { body } = await call(browser, 'check-auth-status');
      expect(body).toMatchObject({ displayName: 'Mia Bcc: mallory@mallory.test', photoURL: null });
    },
  );
});

describe('an address that is no page', () => {
  test.each([
    ['a script', `/${randomUUID()}/<script>alert(1)</script>`, {}],
    ['another host', `/${randomUUID()}`, { 'x-forwarded-host': 'mallory.test' }],
    ['the data of a page', `/_next/data/build/${randomUUID()}.json`, {}],
    ['a path that no middleware sees', `/favicon.ico${randomUUID()}`, { 'x-page-query': '?lang=ja' }],
  ])('is stored by no cache, and does not repeat what was asked: %s', async (_what, path, headers) => {
    const answer = await visit(path, headers);
    const text = await answer.text();
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([
      404,
      expect.stringMatching(/^private, (?:no-cache, )?no-store/),
    ]);
    expect(text).not.toMatch(/<script>alert|mallory/);
  });
});
