// Threats: stolen-session, factor-skipped, login-csrf, stale-lookup, code-guessing
// A password reset signs in at once (docs/adr/0052), and a sign-in link goes on by itself in the browser that asked for
// it (docs/adr/0049).
import { describe, expect, test } from 'vitest';
import { cookieTable } from '@/lib/shared/cookie-table';
import { tokenBy, type TestUser } from '../../support/accounts-client';
import { attackTools, readPageData } from '../../support/attack';
import { nextSecond, type Answer, type CookieJar } from '../../support/client';
import { codeIn, linksIn, type Mail } from '../../support/mail';

const { at, browser, freshEmail, mails, accounts, endpoints, provider, refresh, signInWithIdp } = attackTools();
const NEW = 'quiet-lantern-42';
const call = (by: CookieJar, path: string, body: object = {}) => by.post(at(`/api/${path}`), body);
const result = ({ status, body }: Answer) => [status, body?.code];
const readState = async (by: CookieJar) => (await call(by, 'check-auth-status')).body;
const linkIn = (mail: Mail | undefined) => linksIn(mail ?? { text: '' })[0] ?? '';
const linkCode = (mail: Mail | undefined) => new URL(linkIn(mail)).searchParams.get('oobCode') ?? '';

/** An account whose codes work: a code from the second of its creation does not. */
async function create(details: Parameters<typeof accounts.create>[0] = {}) {
  const user = await accounts.create(details);
  await nextSecond();
  return user;
}
/** Asks for an email and reads it. @param earlier the number of its emails before */
async function receive(by: CookieJar, path: 'password-reset' | 'email-link', email: string, earlier = 0) {
  const answer = await call(by, path, { email });
  expect(answer.status).toBe(200);
  const mail = (await mails(email, earlier + 1)).at(-1) ?? { text: '', subject: '', html: '' };
  return { flow: String(answer.body?.flow), mail: mail as Mail };
}
const confirm = (by: CookieJar, { flow, mail }: { flow: string; mail: Mail }, password = NEW) =>
  call(by, 'password-reset/confirm', { flow, code: codeIn(mail), password });
const byLink = (by: CookieJar, { mail }: { mail: Mail }, password = NEW) =>
  call(by, 'actions/reset-password', { oobCode: linkCode(mail), password });
const WAYS = { code: confirm, link: byLink } as const;
const EACH = ['code', 'link'] as const;

const exchange = (answer: Answer) =>
  tokenBy(endpoints, 'signInWithCustomToken', { token: String(answer.body?.customToken) });
const open = async (by: CookieJar, token: string) => call(by, 'create-user-session', { token });
/** Resets the password of an account, and signs in. @returns the ID token of the reset */
async function reset(by: CookieJar, { email }: Pick<TestUser, 'email'>, password = NEW, earlier = 0) {
  const answer = await confirm(by, await receive(by, 'password-reset', email, earlier), password);
  expect(result(answer)).toEqual([200, undefined]);
  const token = await exchange(answer);
  expect((await open(by, token)).status).toBe(200);
  return token;
}

describe.each(EACH)('the sign-in after a reset by %s', (way) => {
  const use = WAYS[way];

  test('of an account that an organization has taken over meanwhile does not happen, and sets no password', async () => {
    const employee = await create({ email: freshEmail('acme.test') });
    const by = browser();
    const received = await receive(by, 'password-reset', employee.email);
    const identity = { sub: employee.email, email: employee.email, email_verified: true };
    const { idToken } = (await signInWithIdp('saml.acme', identity)).body;
    expect((await open(browser(), String(idToken))).status).toBe(200);
    expect((await use(by, received)).status).toBe(410);
    const { email } = employee;
    expect((await provider('accounts:signInWithPassword', { email, password: NEW })).status).toBe(400);
  });

  test('opens no session of an account that is disabled right after it', async () => {
    const user = await create();
    const by = browser();
    const answer = await use(by, await receive(by, 'password-reset', user.email));
    expect(answer.status).toBe(200);
    const token = await exchange(answer);
    await accounts.disable(user);
    expect(result(await open(by, token))).toEqual([401, 'user-disabled']);
    expect(await readState(by)).toMatchObject({ code: 'session-required' });
  });

  test('does not cancel a deletion, which its response names', async () => {
    const user = await create();
    const owner = browser();
    expect((await open(owner, await accounts.idToken(user))).status).toBe(200);
    await nextSecond();
    expect((await call(owner, 'account/delete', { token: await accounts.idToken(user) })).status).toBe(200);
    await nextSecond();
    const by = browser();
    const answer = await use(by, await receive(by, 'password-reset', user.email, 1));
    const opened = await open(by, await exchange(answer));
    expect([opened.status, opened.body]).toEqual([200, { deletionAt: expect.any(String) as string }]);
  });

  test('is the only one of a burst, and no second sign-in comes of it', async () => {
    const user = await create();
    const by = browser();
    const received = await receive(by, 'password-reset', user.email);
    const answers = await Promise.all(Array.from({ length: 5 }, () => use(by.copy(), received)));
    const done = answers.filter(({ status }) => status === 200);
    expect(done).toHaveLength(1);
    for (const answer of answers) if (!done.includes(answer)) expect([410, 429]).toContain(answer.status);
    expect((await use(by, received, 'another-lantern-7')).status).toBe(410);
    expect((await open(by, await exchange(done[0] as Answer))).status).toBe(200);
  });

  test('of one account replaces the session of another one in that browser, and proves nothing for it', async () => {
    const [victim, attacker] = [await create(), await create()];
    const by = browser();
    const victimsToken = await reset(by, victim);
    expect(await readState(by)).toMatchObject({ uid: victim.uid });
    const other = browser();
    const answer = await use(other, await receive(other, 'password-reset', attacker.email));
    const token = await exchange(answer);
    // The proof of one account in the session of another one.
    for (const path of ['account/data', 'account/delete'])
      expect((await call(by, path, { token })).status, path).toBeGreaterThanOrEqual(401);
    expect((await call(by, 'account/email', { token, email: freshEmail() })).status).toBeGreaterThanOrEqual(401);
    expect((await open(by, token)).status).toBe(200);
    expect(await readState(by)).toMatchObject({ uid: attacker.uid });
    expect((await call(by, 'account/data', { token: victimsToken })).status).toBeGreaterThanOrEqual(401);
  });
});

test('a code of another account resets nothing in a flow, and neither does a link count for the flow', async () => {
  const [victim, attacker] = [await create(), await create()];
  const [own, foreign] = [browser(), browser()];
  const asked = await receive(own, 'password-reset', victim.email);
  const theirs = await receive(foreign, 'password-reset', attacker.email);
  expect(result(await confirm(own, { flow: asked.flow, mail: theirs.mail }))).toEqual([400, 'code-wrong']);
  // With the cookie of the other flow under the name of this one.
  const name = cookieTable.passwordReset.name;
  own.cookies[`${name}-${asked.flow}`] = foreign.cookies[`${name}-${theirs.flow}`] ?? '';
  expect(result(await confirm(own, { flow: asked.flow, mail: theirs.mail }))).toEqual([400, 'code-missing']);
  for (const { email } of [victim, attacker])
    expect((await provider('accounts:signInWithPassword', { email, password: NEW })).status).toBe(400);
});

test('the link of a reset in a second browser leaves the first browser no sign-in', async () => {
  const user = await create();
  const [first, second] = [browser(), browser()];
  const received = await receive(first, 'password-reset', user.email);
  expect((await open(second, await exchange(await byLink(second, received)))).status).toBe(200);
  expect(await readState(first)).toMatchObject({ code: 'session-required' });
});

describe('the five minutes after a reset', () => {
  const CHANGES: [string, object][] = [
    ['account/data', {}],
    ['account/delete', {}],
    ['account/unlink-method', { method: 'google.com' }],
    ['account/email', { email: 'someone@new.test' }],
    ['account/end-sessions', { others: true }],
  ];
  const ends: Record<string, (user: TestUser, by: CookieJar) => Promise<unknown>> = {
    'a sign-out': (_user, by) => call(by.copy(), 'initiate-logout'),
    'a sign-out everywhere': (_user, by) => call(by.copy(), 'account/sign-out-everywhere'),
    'another reset': (user) => reset(browser(), user, 'another-lantern-7', 2),
    'a new password': (_user, by) =>
      call(by.copy(), 'account/password', { current: NEW, password: 'another-lantern-7' }),
  };
  test.each(Object.keys(ends))('end with %s, for the session, its token and its refreshed token', async (how) => {
    const user = await create();
    const by = browser();
    const received = await receive(by, 'password-reset', user.email);
    const answer = await confirm(by, received);
    const signedIn = await provider('accounts:signInWithCustomToken', {
      token: answer.body?.customToken,
      returnSecureToken: true,
    });
    const token = String(signedIn.body.idToken);
    expect((await open(by, token)).status).toBe(200);
    await nextSecond();
    const before = by.copy();
    await ends[how]?.(user, by);
    await nextSecond();
    const refreshed = await refresh(String(signedIn.body.refreshToken));
    const again = await provider('accounts:signInWithCustomToken', {
      token: answer.body?.customToken,
      returnSecureToken: true,
    });
    const given = [token, refreshed.body.id_token, again.body.idToken];
    const tokens = given.filter((each) => typeof each === 'string');
    for (const each of tokens) {
      for (const [path, body] of CHANGES)
        expect((await call(before.copy(), path, { ...body, token: each })).status, path).toBeGreaterThanOrEqual(401);
      expect((await open(browser(), each)).status).toBeGreaterThanOrEqual(401);
    }
  });

  test('are not those of a browser with a copy of the session, or of another session of the account', async () => {
    const user = await create();
    const by = browser();
    const token = await reset(by, user);
    const thief = by.copy();
    delete thief.cookies[cookieTable.device.name];
    for (const [path, body] of CHANGES) {
      expect((await call(thief.copy(), path, { ...body })).status, path).toBeGreaterThanOrEqual(400);
      expect((await call(thief.copy(), path, { ...body, token })).status, path).toBeGreaterThanOrEqual(401);
    }
    expect(await readState(by)).toMatchObject({ uid: user.uid });
  });

  test('begin for no one without the mailbox: a reset that was asked for is no proof', async () => {
    const user = await create();
    const by = browser();
    const { flow } = await receive(by, 'password-reset', user.email);
    for (const code of ['ABC234', '', '000000'])
      expect((await call(by, 'password-reset/confirm', { flow, code, password: NEW })).body).not.toHaveProperty(
        'customToken',
      );
    for (const [path, body] of CHANGES) expect((await call(by, path, body)).status, path).toBeGreaterThanOrEqual(400);
  });
});

/** Cookies that other hosts of the main domain cannot set. */
const HOST_ONLY = Object.values(cookieTable).flatMap((cookie) => ('hostOnly' in cookie ? [cookie.name as string] : []));

describe('a sign-in link that goes on by itself', () => {
  /** Loads a page with the cookies of a browser, and stores those of the response. */
  async function load(by: CookieJar, address: string) {
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { ...by.headers, cookie: by.cookieHeader },
    });
    for (const header of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      by.cookies[name] = decodeURIComponent(value);
    }
    return response;
  }
  /** Opens a link as a browser does. @returns its page, and the email for which the page signs in by itself, or null */
  async function openLink(by: CookieJar, link: string): Promise<{ email: string | null; page: Response }> {
    expect((await load(by, link)).status).toBe(303);
    const page = await load(by, at('/actions'));
    const props = readPageData(await page.text())?.props.pageProps as {
      action: { mode: string } | null;
      askedFor: { signIn: string | null };
    };
    expect(props.action?.mode).toBe('signIn');
    return { email: props.askedFor.signIn, page };
  }
  const goesOnFor = async (by: CookieJar, link: string) => (await openLink(by, link)).email;

  test('is one of this browser: an attacker’s link asks for the email, also beside a request of its own', async () => {
    const [victim, attacker] = [await create(), await create()];
    const [own, foreign] = [browser(), browser()];
    const asked = await receive(own, 'email-link', victim.email);
    const theirs = await receive(foreign, 'email-link', attacker.email);
    expect(await goesOnFor(own, linkIn(theirs.mail))).toBeNull();
    // Another host of the main domain plants all cookies that it can.
    const planted = own.copy();
    for (const [name, value] of Object.entries(foreign.cookies))
      if (!HOST_ONLY.includes(name)) planted.cookies[name] = value;
    planted.cookies[cookieTable.signInEmail.name] = attacker.email;
    expect(await goesOnFor(planted, linkIn(theirs.mail))).toBeNull();
    expect(await goesOnFor(planted, linkIn(asked.mail))).toBe(victim.email);
  });

  test('is not used up by what only opens it: a scanner, a prefetch, a frame', async () => {
    const user = await create();
    const by = browser();
    const { mail } = await receive(by, 'email-link', user.email);
    const link = linkIn(mail);
    for (const headers of [
      { 'sec-purpose': 'prefetch' },
      { 'sec-purpose': 'prefetch;prerender' },
      { 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' },
    ]) {
      const scanner = by.copy();
      Object.assign(scanner.headers, headers);
      const { email, page } = await openLink(scanner, link);
      expect(email).toBe(user.email);
      expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(scanner.cookies).not.toHaveProperty('_secure-user-session');
    }
    expect(await goesOnFor(browser(), link)).toBeNull();
    const done = await call(by, 'actions/sign-in', { code: linkCode(mail), email: user.email });
    expect(done.status).toBe(200);
  });

  test('of an earlier request works once, and ends with its own code only', async () => {
    const user = await create();
    const by = browser();
    const first = await receive(by, 'email-link', user.email);
    const second = await receive(by, 'email-link', user.email, 1);
    expect(await goesOnFor(by, linkIn(first.mail))).toBe(user.email);
    const enter = (code: string) => call(by, 'email-link/confirm', { flow: second.flow, code });
    expect((await enter(codeIn(second.mail))).status).toBe(200);
    const use = (mail: Mail) => call(by, 'actions/sign-in', { code: linkCode(mail), email: user.email });
    expect((await use(second.mail)).status).toBe(410);
    const answers = await Promise.all([use(first.mail), use(first.mail), use(first.mail)]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('is not one of a link for the address that someone else asked for', async () => {
    const victim = await create();
    const { mail } = await receive(browser(), 'email-link', victim.email);
    const own = browser();
    await call(own, 'email-link', { email: freshEmail() });
    expect(await goesOnFor(own, linkIn(mail))).toBeNull();
  });
});
