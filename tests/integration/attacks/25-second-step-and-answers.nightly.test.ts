// Threats: enumeration, unnoticed-sign-in, forged-disavowal, forced-deletion, csrf
// Tests through the public addresses what the second step reveals about an account, and who can answer "Was this you?"
// or keep an account.
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { TestUser } from '../../support/accounts-client';
import { attackTools, readPageData } from '../../support/attack';
import { CookieJar, nextSecond } from '../../support/client';
import { registerOwner } from '../../support/registered';
import { enrolApp } from '../../support/second-factor';
import { SoftwareAuthenticator } from '../../support/software-authenticator';

const { at, browser, accounts, endpoints } = attackTools();
const AT_ONCE = 8;
const SECOND_STEP = '/sign-in/second-factor';
const PENDING = 'pending-sign-in';

const call = (by: CookieJar, path: string, body: object = {}) => by.post(at(`/api/${path}`), body);
type Owner = Pick<TestUser, 'email' | 'password'>;
const open = async (by: CookieJar, user: Owner) =>
  call(by, 'create-user-session', { token: await accounts.idToken(user) });
async function signIn(user: Owner): Promise<CookieJar> {
  const own = browser();
  expect((await open(own, user)).status).toBe(200);
  return own;
}
/** Reads the data of a page as its server sends it, or the target of its redirect. */
async function read(by: CookieJar, path: string) {
  const response = await fetch(at(path), { headers: { cookie: by.cookieHeader }, redirect: 'manual' });
  const props = readPageData(await response.text())?.props.pageProps;
  const { headers, status } = response;
  return { status, location: headers.get('location'), cache: headers.get('cache-control'), props };
}
const countsPasskeys = async (by: CookieJar) => (await read(by, SECOND_STEP)).props?.hasPasskeys;

async function addPasskey(user: TestUser): Promise<void> {
  const own = await signIn(user);
  const { body } = await call(own, 'passkeys/creation-options', { source: 'settings' });
  const begun = body as { challenge: string; options: Parameters<SoftwareAuthenticator['create']>[0] };
  const response = new SoftwareAuthenticator().create(begun.options, { origin: endpoints.appOrigin });
  expect((await call(own, 'passkeys/add', { challenge: begun.challenge, response })).status).toBe(200);
}

describe('whether an account with a second factor has passkeys', () => {
  async function createTwo() {
    const [withPasskey, without] = [await accounts.create(), await accounts.create()];
    await addPasskey(withPasskey);
    for (const user of [withPasskey, without]) await enrolApp(endpoints, user);
    await nextSecond();
    return { withPasskey, without };
  }

  test('is told to a browser that has just given the first factor, on a page of its own', async () => {
    const { withPasskey, without } = await createTwo();
    const [thief, other] = [browser(), browser()];
    const answers = [await open(thief, withPasskey), await open(other, without)];
    // The responses to the password are the same, except for random values.
    const [one, two] = answers.map(({ status, body }) => [status, Object.keys(body ?? {}).sort(), body?.code]);
    expect(one).toEqual(two);
    expect([await countsPasskeys(thief), await countsPasskeys(other)]).toEqual([true, false]);
    const { cache } = await read(thief, SECOND_STEP);
    expect(cache).toMatch(/no-store/);
    expect(cache).not.toMatch(/public/);

    const secret = thief.cookies[PENDING] ?? '';
    const pair = secret.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'));
    const guesses = [
      '',
      'x',
      secret.slice(1),
      secret.toUpperCase(),
      pair,
      `${secret}x`,
      randomBytes(32).toString('base64url'),
    ];
    for (const guess of guesses) {
      const stranger = browser();
      stranger.cookies[PENDING] = guess;
      const page = await read(stranger, SECOND_STEP);
      expect([guess, page.props?.hasPasskeys ?? false]).toEqual([guess, false]);
    }
    expect((await read(browser(), SECOND_STEP)).location).toMatch(/^\/sign-in/);
    // This is a session of another account, with and without the request for two factors.
    const mallory = await signIn(await accounts.create());
    mallory.cookies.acr_values = 'aal2';
    expect((await read(mallory, SECOND_STEP)).props?.hasPasskeys ?? false).toBe(false);
  });

  test.each([
    ['a revocation of its sign-ins', (user: TestUser) => accounts.revoke(user)],
    ['its deletion', (user: TestUser) => accounts.remove(user)],
  ])('is not told any more to a sign-in that waits after %s', async (_what, end) => {
    const { withPasskey } = await createTwo();
    const thief = browser();
    await open(thief, withPasskey);
    expect(await countsPasskeys(thief)).toBe(true);
    await nextSecond();
    await end(withPasskey);
    expect((await read(thief, SECOND_STEP)).props?.hasPasskeys ?? false).toBe(false);
  });
});

/** Lists the ids of the sign-ins that /security asks about. */
const readQuestions = async (by: CookieJar) =>
  (((await read(by, '/security')).props?.signIns ?? []) as { id: string }[]).map(({ id }) => id);

describe('"Was this you?"', () => {
  /** Signs in the owner, and an intruder who knows the password, each on a separate browser. */
  async function intrude() {
    const laptop = browser();
    const owner = await registerOwner(endpoints, (path, body) => laptop.post(at(path), body));
    await nextSecond();
    const intruder = await signIn(owner);
    const [session = expect.unreachable('nothing is asked')] = await readQuestions(laptop);
    return { owner, laptop, intruder, session };
  }
  const answer = (by: CookieJar, body: object) => call(by, 'account/check-sign-in', body);

  test('is answered by a browser that is asked, and by none that it is about, of another account or site', async () => {
    const { owner, laptop, intruder, session } = await intrude();
    const stranger = await signIn(await accounts.create());
    const next = await signIn(owner);
    expect(await readQuestions(intruder)).toEqual([]);
    for (const by of [intruder, next, stranger, intruder.copy()]) {
      const guesses = [session, session.toUpperCase(), randomUUID()];
      for (const guess of guesses) {
        expect((await answer(by, { session: guess, isOwn: false })).status).toBe(404);
        expect(await answer(by, { session: guess, isOwn: true })).toMatchObject({ status: 200, body: {} });
      }
    }
    expect((await answer(browser(), { session, isOwn: true })).status).toBe(401);
    for (const origin of ['https://evil.example', 'null', endpoints.platformOrigin]) {
      const foreign = new CookieJar({ origin });
      Object.assign(foreign.cookies, laptop.cookies);
      expect((await answer(foreign, { session, isOwn: false })).status).toBe(403);
    }
    const odd = [[session], { $ne: '' }, null, '', `${session}'--`, 'x'.repeat(10_000)];
    for (const value of odd) expect((await answer(laptop, { session: value, isOwn: false })).status).toBe(400);
    for (const isOwn of ['false', 0, null, undefined])
      expect((await answer(laptop, { session, isOwn })).status).toBe(400);
    // No call above counted as an answer.
    expect(await readQuestions(laptop)).toContain(session);
  });

  test('both answers at once, many times: links that undo the sign-in, used at once, and no question afterwards', async () => {
    const { owner, laptop, intruder, session } = await intrude();
    const answers = await Promise.all(
      Array.from({ length: 2 * AT_ONCE }, (_, index) => answer(laptop, { session, isOwn: index % 2 === 1 })),
    );
    for (const { status } of answers) expect([200, 404, 429]).toContain(status);
    expect(await readQuestions(laptop)).not.toContain(session);
    // For a minute, the answer can still be corrected.
    const last = await answer(laptop, { session, isOwn: false });
    expect(last.status).toBe(200);
    const codes = [...answers, last].flatMap(({ status, body }) => (status === 200 && body?.code ? [body.code] : []));
    const results = await Promise.all(codes.map((code) => call(laptop.copy(), 'actions/disavow-sign-in', { code })));
    // The first disavowal ends the session that created the other codes.
    expect(results.map(({ status }) => status)).toContain(200);
    for (const { status } of results) expect([200, 410, 429]).toContain(status);
    for (const { cookies } of results) expect(cookies['_secure-user-session']?.value ?? '').toBe('');
    for (const by of [laptop, intruder]) expect((await call(by, 'check-auth-status')).status).toBe(401);
    await nextSecond();
    expect(await readQuestions(await signIn(owner))).not.toContain(session);
  });

  test('an answer while another one disavows leaves no session, and no question', async () => {
    const { owner, laptop, intruder, session } = await intrude();
    const { body } = await answer(laptop, { session, isOwn: false });
    const copy = laptop.copy();
    const all = await Promise.all([
      call(laptop, 'actions/disavow-sign-in', { code: body?.code }),
      ...Array.from({ length: AT_ONCE }, () => answer(copy, { session, isOwn: true })),
      ...Array.from({ length: AT_ONCE }, () => answer(intruder, { session, isOwn: true })),
    ]);
    expect(all[0]?.status).toBe(200);
    for (const { status } of all) expect(status).toBeLessThan(500);
    for (const by of [laptop, copy, intruder]) expect((await call(by, 'check-auth-status')).status).toBe(401);
    await nextSecond();
    expect(await readQuestions(await signIn(owner))).not.toContain(session);
  });
});

describe('an account that is to be deleted', () => {
  test('is kept by its own sessions alone, however often at once', async () => {
    const owner = await accounts.create();
    const own = await signIn(owner);
    const stranger = await signIn(await accounts.create());
    const token = await accounts.idToken(owner);
    expect((await call(own, 'account/delete', { token })).status).toBe(200);
    const isScheduled = async () => (await read(own, '/sign-in/keep-account')).props?.effectiveAt != null;
    expect(await isScheduled()).toBe(true);
    const page = await read(stranger, '/sign-in/keep-account');
    expect([page.props?.effectiveAt, page.cache]).toEqual([null, expect.stringMatching(/no-store/)]);
    expect((await read(browser(), '/sign-in/keep-account')).location).toMatch(/^\/sign-in/);
    // These calls name another account in the body, come from another site, or have no session.
    expect((await call(stranger, 'account/keep', { uid: owner.uid })).status).toBeLessThan(500);
    const foreign = new CookieJar({ origin: 'https://evil.example' });
    Object.assign(foreign.cookies, own.cookies);
    expect((await call(foreign, 'account/keep')).status).toBe(403);
    expect((await call(browser(), 'account/keep')).status).toBe(401);
    expect(await isScheduled()).toBe(true);

    const kept = await Promise.all(Array.from({ length: AT_ONCE }, () => call(own.copy(), 'account/keep')));
    expect(kept.every(({ status }) => [200, 204, 429].includes(status))).toBe(true);
    expect(await isScheduled()).toBe(false);
    expect((await call(own, 'check-auth-status')).status).toBe(200);
  });
});
