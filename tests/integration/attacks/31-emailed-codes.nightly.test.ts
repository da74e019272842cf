// Threats: code-guessing, login-csrf, enumeration, split-state
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { attackTools } from '../../support/attack';
import { startAppPair, type AppPair } from '../../support/app-pair';
import { CLIENT } from '../../support/proxy';
import { CookieJar, nextSecond, post, type Answer } from '../../support/client';
import { codeIn, linksIn, mailsBesidesAlerts, readMailbox, wrongCode } from '../../support/mail';
import { enrolApp } from '../../support/second-factor';
import { tokenBy, type TestUser } from '../../support/accounts-client';

// The code beside a sign-in link, on two processes with one Redis and one database.

const shared = inject('endpoints');
const { freshEmail, signInWithIdp } = attackTools();
let pair: AppPair;
beforeAll(async () => {
  pair = await startAppPair(shared);
});
afterAll(() => pair.stop());

const newBrowser = () => new CookieJar(pair.newClient());
const ask = async (email: string, browser: CookieJar) => browser.post(`${pair.origin}/api/email-link`, { email });
/** Asks for an email and reads it. */
async function receive(email: string, browser: CookieJar, earlier = 0) {
  const answer = await ask(email, browser);
  expect(answer.status).toBe(200);
  const mail = (await mailsBesidesAlerts(shared, email, earlier + 1)).at(-1) ?? { text: '' };
  return { flow: String(answer.body?.flow), mail };
}
const enter = (flow: string, code: string, browser: CookieJar, origin = pair.origin) =>
  browser.post(`${origin}/api/email-link/confirm`, { flow, code });
const followLink = (mail: { text: string }, email: string) => {
  const code = new URL(linksIn(mail)[0] ?? '').searchParams.get('oobCode');
  return newBrowser().post(`${pair.origin}/api/actions/sign-in`, { code, email });
};
const getCodes = (answers: Answer[]) =>
  answers.map(({ status, body }) => (status === 200 ? 'open' : body?.code)).sort();
/** An account whose codes work: a code from the second of its creation does not. */
async function create(details: Parameters<AppPair['accounts']['create']>[0] = {}) {
  const user = await pair.accounts.create(details);
  await nextSecond();
  return user;
}

test('a burst of wrong codes at both processes, from many networks, has five tries, and the link stays', async () => {
  const { email } = await create();
  const browser = newBrowser();
  const { flow, mail } = await receive(email, browser);
  const code = codeIn(mail);
  const copies = Array.from({ length: 40 }, (_, at) => {
    const copy = browser.copy();
    copy.headers[CLIENT] = `198.51.100.${String(at)}`;
    return copy;
  });
  const answers = await Promise.all(
    copies.map((copy, at) => enter(flow, wrongCode(code), copy, pair.each[at % 2 === 0 ? 0 : 1])),
  );
  expect(getCodes(answers).filter((each) => each === 'code-wrong')).toHaveLength(5);
  expect(getCodes(answers).filter((each) => each === 'code-locked')).toHaveLength(35);
  expect((await enter(flow, code, browser)).body).toMatchObject({ code: 'code-locked' });
  expect((await followLink(mail, email)).status).toBe(200);
});

test('a code that both processes get at the same moment opens one sign-in, and so do its link and it', async () => {
  for (const withLink of [false, true]) {
    const { email } = await create();
    const browser = newBrowser();
    const { flow, mail } = await receive(email, browser);
    const tries = [0, 1, 0, 1].map((at) => enter(flow, codeIn(mail), browser.copy(), pair.each[at === 0 ? 0 : 1]));
    const answers = await Promise.all([...tries, ...(withLink ? [followLink(mail, email)] : [])]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await enter(flow, codeIn(mail), browser)).status).toBe(410);
    expect((await followLink(mail, email)).status).toBe(410);
  }
});

test('new flows from many networks give an attacker few codes to guess', async () => {
  const { email } = await create();
  const answers = await Promise.all(Array.from({ length: 40 }, () => ask(email, newBrowser())));
  const sent = answers.filter(({ status }) => status === 200).length;
  expect(sent).toBeLessThanOrEqual(15);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(40 - sent);
  await mailsBesidesAlerts(shared, email, 1);
  expect((await readMailbox(shared, email)).length).toBeLessThanOrEqual(15);
});

test('no page of another site can ask for a code or enter one', async () => {
  const { email } = await create();
  const victim = newBrowser();
  const { flow, mail } = await receive(email, victim);
  const code = codeIn(mail);
  const foreign: Record<string, string | null>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: null, 'sec-fetch-site': 'cross-site' },
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/x-www-form-urlencoded' },
  ];
  for (const headers of foreign) {
    const given = { ...victim.headers, cookie: victim.cookieHeader, ...headers };
    for (const [path, body] of [
      ['email-link', { email: freshEmail() }],
      ['email-link/confirm', { flow, code }],
    ] as const) {
      const answer = await post(`${pair.origin}/api/${path}`, { body, headers: given });
      expect([403, 415], JSON.stringify([headers, path, answer.body])).toContain(answer.status);
      expect(answer.cookies).toEqual({});
    }
  }
  expect((await enter(flow, code, victim)).status).toBe(200);
});

test("an attacker's code is not accepted in the browser of a victim", async () => {
  const attacker = await create();
  const thief = newBrowser();
  const { flow, mail } = await receive(attacker.email, thief);
  const victim = newBrowser();
  await ask(freshEmail(), victim);
  // A host of the main domain can plant this cookie, but not the secret of the browser.
  victim.cookies[`sign-in-code-${flow}`] = thief.cookies[`sign-in-code-${flow}`] ?? '';
  expect((await enter(flow, codeIn(mail), victim)).body).toMatchObject({ code: 'code-missing' });
  expect((await enter(flow, codeIn(mail), thief)).status).toBe(200);
});

test('a second factor follows a code, which is used up meanwhile', async () => {
  const user = await create();
  const enrolled = await enrolApp(pair.endpoints, user);
  await nextSecond();
  const browser = newBrowser();
  // The email about the second factor came before.
  const { flow, mail } = await receive(user.email, browser, 1);
  const answer = await enter(flow, codeIn(mail), browser);
  expect([answer.status, answer.body?.code]).toEqual([403, 'second-factor-required']);
  expect(answer.body?.customToken).toBeUndefined();
  expect((await browser.post(`${pair.origin}/api/check-auth-status`)).status).toBe(401);
  expect((await enter(flow, codeIn(mail), browser)).body).toMatchObject({ code: 'code-used' });
  expect((await followLink(mail, user.email)).status).toBe(410);
  const done = await browser.post(`${pair.origin}/api/second-factor/sign-in`, { code: enrolled.codeAt() });
  expect(done.status).toBe(200);
  expect((await browser.post(`${pair.origin}/api/check-auth-status`)).body).toMatchObject({ uid: user.uid });
});

test.each<[string, (user: TestUser) => Promise<unknown>]>([
  ['deleted', (user) => pair.accounts.remove(user)],
  ['disabled', (user) => pair.accounts.disable(user)],
])('a code ends, or its session does not open, when its account is %s while it is entered', async (_, change) => {
  const user = await create();
  const browser = newBrowser();
  const { flow, mail } = await receive(user.email, browser);
  await nextSecond();
  const [entered] = await Promise.all([enter(flow, codeIn(mail), browser), change(user)]);
  if (entered.status !== 200) return expect(['code-expired', 'user-disabled']).toContain(entered.body?.code);
  // The code was first. Its custom token opens nothing after the change.
  const opened = await tokenBy(shared, 'signInWithCustomToken', { token: entered.body?.customToken }).then(
    async (token) => (await browser.post(`${pair.origin}/api/create-user-session`, { token })).status,
    () => 400,
  );
  expect(opened).not.toBe(200);
});

test('an organization, a pending registration and no account answer alike, and no code is emailed to them', async () => {
  const pending = freshEmail();
  const registration = { name: 'Mia Example', email: pending, password: 'quiet-lantern-42' };
  expect((await newBrowser().post(`${pair.origin}/api/registration`, registration)).status).toBe(200);
  await mailsBesidesAlerts(shared, pending, 1);
  const known = await create();
  const employee = freshEmail('acme.test');
  const { idToken } = (await signInWithIdp('saml.acme', { sub: employee, email: employee, email_verified: true })).body;
  expect((await newBrowser().post(`${pair.origin}/api/create-user-session`, { token: idToken })).status).toBe(200);
  const emails = [known.email, employee, freshEmail(), pending];
  const answers = await Promise.all(emails.map((email) => ask(email, newBrowser())));
  const shapes = answers.map(({ status, body, cookies }) => {
    const flow = String(body?.flow);
    const token = cookies[`sign-in-code-${flow}`];
    const names = Object.keys(cookies).map((name) => name.replace(flow, '…'));
    return JSON.stringify([status, { ...body, flow: '…' }, names.sort(), token?.value?.length, token?.maxAge]);
  });
  expect(new Set(shapes).size).toBe(1);
  const [mail = { text: '' }] = await mailsBesidesAlerts(shared, known.email, 1);
  codeIn(mail);
  for (const email of emails.slice(1)) {
    // The first email of a registration has its own code.
    const before = email === pending ? 1 : 0;
    const mails = await mailsBesidesAlerts(shared, email, before + 1);
    for (const { text } of mails.slice(before)) expect(text).not.toMatch(/^[0-9A-Z]{6}$/m);
  }
});
