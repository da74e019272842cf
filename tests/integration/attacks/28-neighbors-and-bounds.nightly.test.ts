// Threats: unnoticed-sign-in, flooding, cookie-planting, foreign-confirmation, hindered-browser, malicious-input
// A stranger writes data at the identity provider, plants cookies in a browser, or uses up limits for others at the
// same address.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { getSchoolOrigin, writeOidcFiles } from '../../../scripts/lib/oidc-files.mjs';
import { startOtherApp } from '../../../scripts/lib/stack.mjs';
import { callProvider, createAccountsClient, idpResponse, tokenBy } from '../../support/accounts-client';
import { readPageData } from '../../support/attack';
import { CookieJar, nextSecond } from '../../support/client';
import { linksIn, mailsTo, readMailbox } from '../../support/mail';

const shared = inject('endpoints');
const accounts = createAccountsClient(shared);
const SESSION = '_secure-user-session';
/** A browser drops a longer cookie. The emulator's cookie has no signature and a shorter header. */
const [COOKIE_MAX, SIGNED_MORE] = [4_096, 342 + 60];

/** A separate app, which counts clients by the address that each test gives them. */
let app: Awaited<ReturnType<typeof startOtherApp>>;
beforeAll(async () => {
  const { env } = writeOidcFiles(mkdtempSync(path.join(os.tmpdir(), 'oidc-')), 0);
  app = await startOtherApp(shared, { ...env, TRUSTED_PROXY_HOPS: '1', PROOF_OF_WORK: '0' });
});
afterAll(() => app.stop());

const at = (path: string) => app.endpoints.appOrigin + path;
let networks = 0;
const newAddress = () => `198.51.100.${String((networks += 1))}`;
const browserAt = (address: string) =>
  new CookieJar({ origin: app.endpoints.appOrigin, 'x-forwarded-for': address, 'sec-fetch-site': 'same-origin' });
const call = (by: CookieJar, path: string, body?: object) => by.post(at(`/api/${path}`), body);
const check = async (by: CookieJar) => (await call(by, 'check-auth-status')).status;
const signIn = async (by: CookieJar, user: { email: string; password: string }) =>
  call(by, 'create-user-session', { token: await tokenBy(shared, 'signInWithPassword', user) });
const readSubjects = async (email: string) => (await readMailbox(shared, email)).map(({ subject }) => subject);
const readQuestions = async (by: CookieJar) => {
  const page = await fetch(at('/security'), { headers: { cookie: by.cookieHeader } });
  return (readPageData(await page.text())?.props.pageProps as { signIns: unknown[] }).signIns;
};

describe('a profile that someone with the password has filled at the identity provider', () => {
  const picture = `https://pictures.test/${'p'.repeat(2_048 - 22)}`;
  test.each([
    ['wide characters', { displayName: '名'.repeat(256), photoUrl: picture }],
    ['characters that JSON escapes', { displayName: '"\\'.repeat(128), photoUrl: picture }],
    ['controls', { displayName: '\u0001'.repeat(256), photoUrl: `https://p.test/${'"'.repeat(2_000)}` }],
    [
      'one character of many marks',
      { displayName: `a${'\u0301'.repeat(255)}`, photoUrl: `https://p.test/${'é'.repeat(1_000)}` },
    ],
    ['halves of characters', { displayName: '\ud83d'.repeat(256), photoUrl: 'x'.repeat(2_048) }],
  ])('of %s leaves room for the session', async (_what, profile) => {
    const user = await accounts.create();
    const idToken = await accounts.idToken(user);
    await callProvider(shared, 'accounts:update', { idToken, ...profile });
    // The thief also has an identity with a long id.
    const identity = { sub: 's'.repeat(1_000), email: `${'m'.repeat(60)}@mallory.test`, email_verified: true };
    await callProvider(shared, 'accounts:signInWithIdp', { ...idpResponse('google.com', identity), idToken });
    await nextSecond();
    const owner = browserAt(newAddress());
    const opened = await signIn(owner, user);
    expect(opened.status).toBe(200);
    const [cookie = ''] = opened.headers.getSetCookie().filter((each) => each.startsWith(`${SESSION}=`));
    expect(Buffer.byteLength(cookie) + SIGNED_MORE).toBeLessThanOrEqual(COOKIE_MAX);
    expect(await check(owner)).toBe(200);
  });
});

describe('the first browser of an imported account', () => {
  test('is announced to its owner, and not asked about the owner’s', async () => {
    const user = await accounts.create();
    const intruder = browserAt(newAddress());
    expect((await signIn(intruder, user)).status).toBe(200);
    await expect.poll(() => readSubjects(user.email), { timeout: 60_000 }).toContain('New sign-in to Campus');
    await nextSecond();
    const phone = browserAt(newAddress());
    expect((await signIn(phone, user)).status).toBe(200);
    expect(await readQuestions(intruder)).toEqual([]);
  });

  test('is announced, too, when it comes by an identity that was connected at the provider', async () => {
    const user = await accounts.create();
    const identity = idpResponse('google.com', {
      sub: randomUUID(),
      email: `${randomUUID()}@mallory.test`,
      email_verified: true,
    });
    const idToken = await accounts.idToken(user);
    // This is later than a provider that creates an account with its first sign-in.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const { body } = await callProvider(shared, 'accounts:signInWithIdp', { ...identity, idToken });
    expect((await call(browserAt(newAddress()), 'create-user-session', { token: body.idToken })).status).toBe(200);
    await expect.poll(() => readSubjects(user.email), { timeout: 60_000 }).toContain('New sign-in to Campus');
  });
});

describe('a neighbor at the address of a school', () => {
  test('takes no one’s ways out away, however often clear-device is called without a session', async () => {
    const school = newAddress();
    const user = await accounts.create();
    const learner = browserAt(school);
    expect((await signIn(learner, user)).status).toBe(200);
    const neighbor = browserAt(school);
    const statuses = new Set<number>();
    for (let round = 0; round < 61; round += 1)
      for (const { status } of await Promise.all(Array.from({ length: 10 }, () => call(neighbor, 'clear-device'))))
        statuses.add(status);
    expect([...statuses].sort()).toEqual([200, 429]);
    expect((await call(neighbor, 'initiate-logout')).status).toBe(429);
    expect((await call(learner, 'account/end-sessions', { others: true })).status).toBe(200);
    const other = learner.copy();
    expect((await call(learner, 'clear-device')).status).toBe(200);
    expect(await check(other)).toBe(401);
    // A neighbor does not block a sign-in by the organization either.
    const lookups = Array.from({ length: 200 }, () => call(neighbor, 'enterprise/lookup', { email: 'a@nowhere.test' }));
    await Promise.all(lookups);
    expect((await call(browserAt(school), 'enterprise/lookup', { email: 'erin@acme.test' })).status).toBe(200);
  });
});

describe('another host of the main domain', () => {
  test('keeps no password by a confirmation token that it plants in the victim’s browser', async () => {
    const email = `${randomUUID()}@campus.test`;
    const [attacker, victim] = [browserAt(newAddress()), browserAt(newAddress())];
    await call(attacker, 'registration', { name: 'Mia Moreau', email, password: 'mallory-pass-1' });
    const [mail] = await mailsTo(shared, email);
    // The other host can set any cookie without the prefix, which no cookie has on localhost.
    for (const [name, value] of Object.entries(attacker.cookies)) if (name !== 'device') victim.cookies[name] = value;
    const code = new URL(linksIn(mail ?? { text: '' })[0] ?? '').searchParams.get('oobCode');
    const opened = await call(victim, 'actions/verify-email', { code });
    expect([opened.status, opened.body?.code]).toEqual([403, 'new-password-required']);
    expect((await call(victim, 'actions/verify-email', { code, password: 'quiet-lantern-42' })).status).toBe(200);
    const attackers = { email, password: 'mallory-pass-1' };
    expect((await callProvider(shared, 'accounts:signInWithPassword', attackers)).status).toBe(400);
  });
});

describe('the OpenID Provider', () => {
  const ask = (path: string, address: string, init: RequestInit = {}) =>
    fetch(at(`/api/oidc/${path}`), {
      redirect: 'manual',
      ...init,
      headers: { 'x-forwarded-for': address, ...(init.headers as Record<string, string>) },
    });
  const begin = (address: string, more: Record<string, string> = {}) => {
    const query = new URLSearchParams({
      ...{
        client_id: 'school',
        redirect_uri: `${getSchoolOrigin(0)}/callback`,
        response_type: 'code',
        scope: 'openid',
        code_challenge_method: 'S256',
      },
      ...{ code_challenge: randomBytes(32).toString('base64url'), state: 's', ...more },
    });
    return ask(`authorize?${query.toString()}`, address);
  };

  test('stores no request of more than its parameters need', async () => {
    const address = newAddress();
    expect((await begin(address)).status).toBe(303);
    const long = randomBytes(1_700).toString('base64url');
    const requests: Record<string, string>[] = [
      { state: long.slice(0, 2_100) },
      { state: long.slice(0, 2_000), nonce: long.slice(0, 2_000), login_hint: long.slice(0, 500) },
      { unknown: long, another: long },
    ];
    for (const more of requests) {
      const answer = await begin(address, more);
      // The request leads back to the client with an error, and begins nothing.
      expect(answer.headers.get('location')).toMatch(/^http:\/\/school\.localhost:\d+\/callback\?.*error=/);
    }
  });

  test('refuses more than some random tokens of one address, and no one else’s', async () => {
    const address = newAddress();
    const userinfo = (from: string) =>
      ask('userinfo', from, { headers: { authorization: `Bearer ${randomBytes(32).toString('base64url')}` } });
    const statuses: number[] = [];
    for (let round = 0; round < 20; round += 1)
      statuses.push(...(await Promise.all(Array.from({ length: 10 }, async () => (await userinfo(address)).status))));
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(120);
    expect(statuses).toContain(429);
    expect((await userinfo(newAddress())).status).toBe(401);
    expect((await begin(address)).status).toBe(303);
  });
});
