// ASVS: 3.3.4, 6.2.10, 6.8.2, 7.2.1, 7.2.2, 7.2.4, 7.4.1, 7.4.2, 7.4.5, 7.6.1, 9.1.1, 9.2.2, 9.2.3, 10.3.3, 10.5.2
// ASVS: 10.5.4
// Threats: stolen-session
import { afterEach, describe, expect, test, vi } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { sessionCheckSchema, sessionStatusSchema } from '@/lib/shared/session-contract';
import { nextSecond, openSession, post } from '../support/client';
import { fetchGoogleIdToken, fetchIdToken, createTestUser } from '../support/test-users';
import { servedRoutes } from '../support/served-routes';

const app = servedRoutes();
afterEach(() => {
  vi.useRealTimers();
});

const create = (token: unknown) => post(`${app.origin}/api/create-user-session`, { body: { token } });
const check = (cookie?: string) => post(`${app.origin}/api/check-auth-status`, { cookie });
const logout = (cookie?: string) => post(`${app.origin}/api/initiate-logout`, { cookie });

/** Shifts the server's clock, but not its timers. */
function advance(seconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });
}

describe('create-user-session', () => {
  test('creates a session with every cookie as specified', async () => {
    const user = await createTestUser();
    await getIdentityAdmin().setCustomUserClaims(user.uid, { accessLevel: 'teacher' });
    const { status, cookies } = await create(await fetchIdToken(user));
    expect(status).toBe(200);
    const shared = { maxAge: 432_000, path: '/', secure: true, sameSite: 'lax' };
    expect(cookies).toEqual({
      '_secure-user-session': {
        name: '_secure-user-session',
        ...shared,
        httpOnly: true,
        value: expect.any(String) as string,
      },
      kk_logged_in: { name: 'kk_logged_in', ...shared, value: '1' },
      kk_uid: { name: 'kk_uid', ...shared, value: user.uid },
      kk_sid: { name: 'kk_sid', ...shared, value: expect.stringMatching(/^[\w-]{22}$/) as string },
      kk_user_access_level: { name: 'kk_user_access_level', ...shared, value: 'teacher' },
      'legacy-user-status': { name: 'legacy-user-status', ...shared, maxAge: 604_800, value: 'v3' },
      'known-browser': {
        name: 'known-browser',
        ...shared,
        maxAge: 34_560_000,
        httpOnly: true,
        value: expect.any(String) as string,
      },
      device: {
        name: 'device',
        ...shared,
        maxAge: 34_560_000,
        httpOnly: true,
        value: expect.stringMatching(/^[\w-]{43}$/) as string,
      },
    });
  });

  test('gives the standard access level to all others', async () => {
    const { cookies } = await create(await fetchIdToken(await createTestUser()));
    expect(cookies.kk_user_access_level?.value).toBe('standard');
  });

  test.each([
    ['expired', 3_601, 'token-expired'],
    ['older than 1200 s', 1_201, 'token-too-old'],
  ])('refuses a token that is %s', async (_name, age, code) => {
    const token = await fetchIdToken(await createTestUser());
    advance(age);
    const answer = await create(token);
    expect([answer.status, answer.body?.code]).toEqual([401, code]);
    expect(answer.cookies).toEqual({});
  });

  test('refuses a token that was revoked', async () => {
    const user = await createTestUser();
    const token = await fetchIdToken(user);
    await nextSecond();
    await getIdentityAdmin().revokeRefreshTokens(user.uid);
    expect((await create(token)).body?.code).toBe('token-revoked');
  });

  test('refuses a disabled user', async () => {
    const user = await createTestUser();
    const token = await fetchIdToken(user);
    await getIdentityAdmin().updateUser(user.uid, { disabled: true });
    const answer = await create(token);
    expect([answer.status, answer.body?.code]).toEqual([401, 'user-disabled']);
  });

  test('refuses a deleted user', async () => {
    const user = await createTestUser();
    const token = await fetchIdToken(user);
    await getIdentityAdmin().deleteUser(user.uid);
    expect((await create(token)).status).toBe(401);
  });

  test('refuses text that is not a token', async () => {
    const answer = await create('no.token.atall');
    expect([answer.status, answer.body?.code]).toEqual([401, 'token-invalid']);
  });

  test('creates no session for a password account with an unverified email', async () => {
    const answer = await create(await fetchIdToken(await createTestUser({ emailVerified: false })));
    expect([answer.status, answer.body?.code]).toEqual([403, 'email-not-verified']);
    expect(answer.cookies).toEqual({});
  });

  test('creates none for a provider sign-in with an unverified email', async () => {
    const answer = await create(await fetchGoogleIdToken(`unverified-${Date.now()}@campus.test`, false));
    expect([answer.status, answer.body?.code]).toEqual([403, 'email-not-verified']);
    expect(answer.cookies).toEqual({});
  });

  test('creates none for a provider sign-in without an email, and sends no code', async () => {
    const token = await fetchGoogleIdToken(undefined, false);
    const answer = await create(token);
    expect([answer.status, answer.body?.code]).toEqual([403, 'email-missing']);
    expect(answer.cookies).toEqual({});
    for (const [path, body] of [
      ['email-confirmation', { token }],
      ['account/first-password', { token, password: 'quiet-lantern-42' }],
    ] as const) {
      const refused = await post(`${app.origin}/api/${path}`, { body });
      expect([refused.status, refused.body?.code]).toEqual([403, 'email-missing']);
      expect(refused.cookies).toEqual({});
    }
  });
});

describe('check-auth-status', () => {
  test('describes a live session', async () => {
    const user = await createTestUser({ name: 'Lena' });
    const { cookies } = await create(await fetchIdToken(user));
    const answer = await check(cookies['_secure-user-session']?.value);
    expect(answer.status).toBe(200);
    const session = sessionCheckSchema.parse(answer.body);
    expect(session).toMatchObject({
      sid: cookies.kk_sid?.value,
      uid: user.uid,
      email: user.email,
      displayName: 'Lena',
      photoURL: null,
      emailVerified: true,
    });
    expect(Date.parse(session.expiresAt) - Date.parse(session.refreshAfter)).toBe((432_000 - 86_400) * 1000);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test.each([
    ['no cookie', undefined],
    ['an empty cookie', ''],
  ])('responds with 401 to %s and keeps the cookies', async (_name, cookie) => {
    const answer = await check(cookie);
    expect(answer.status).toBe(401);
    expect(answer.cookies).toEqual({});
  });

  test('responds with 401 to a foreign cookie and clears kk_logged_in', async () => {
    const answer = await check('abc.def.ghi');
    expect(answer.status).toBe(401);
    expect(Object.keys(answer.cookies)).toEqual(['kk_logged_in']);
    expect(answer.cookies.kk_logged_in?.value).toBe('0');
  });

  test('responds with 401 to an ID token instead of a session', async () => {
    expect((await check(await fetchIdToken(await createTestUser()))).status).toBe(401);
  });

  test('responds with 401 once a session has expired', async () => {
    const cookie = await openSession(app.origin, await fetchIdToken(await createTestUser()));
    advance(432_001);
    expect((await check(cookie)).body?.code).toBe('token-expired');
  });

  test.each([
    ['revoked', (uid: string) => getIdentityAdmin().revokeRefreshTokens(uid)],
    ['disabled', (uid: string) => getIdentityAdmin().updateUser(uid, { disabled: true })],
    ['deleted', (uid: string) => getIdentityAdmin().deleteUser(uid)],
  ])('responds with 401 within the revocation window after a user was %s elsewhere', async (_name, change) => {
    const user = await createTestUser();
    const cookie = await openSession(app.origin, await fetchIdToken(user));
    expect((await check(cookie)).status).toBe(200);
    await nextSecond();
    await change(user.uid);
    advance(29);
    expect((await check(cookie)).status).toBe(401);
  });

  test('is due for renewal after a day, and is renewed with a fresh token', async () => {
    const user = await createTestUser();
    const first = await check(await openSession(app.origin, await fetchIdToken(user)));
    const due = sessionStatusSchema.parse(first.body).refreshAfter;
    await nextSecond();
    const second = await check(await openSession(app.origin, await fetchIdToken(user)));
    expect(Date.parse(sessionStatusSchema.parse(second.body).refreshAfter)).toBeGreaterThan(Date.parse(due));
  });
});

describe('initiate-logout', () => {
  test('ends the session on the server, for copies of its cookie too', async () => {
    const cookie = await openSession(app.origin, await fetchIdToken(await createTestUser()));
    expect((await check(cookie)).status).toBe(200);
    const answer = await logout(cookie);
    expect(answer.status).toBe(200);
    expect(answer.cookies['_secure-user-session']).toMatchObject({ value: '', maxAge: 0 });
    expect(answer.cookies.kk_logged_in?.value).toBe('0');
    expect((await check(cookie)).status).toBe(401);
  });

  test('keeps the other sessions of the same user', async () => {
    const user = await createTestUser();
    const here = await openSession(app.origin, await fetchIdToken(user));
    await nextSecond();
    const there = await openSession(app.origin, await fetchIdToken(user));
    await logout(here);
    expect((await check(there)).status).toBe(200);
  });

  test('allows signing in again within the same second', async () => {
    const user = await createTestUser();
    await nextSecond();
    await logout(await openSession(app.origin, await fetchIdToken(user)));
    const again = await openSession(app.origin, await fetchIdToken(user));
    expect((await check(again)).status).toBe(200);
  });

  test.each([
    ['without a session', undefined],
    ['with a cookie that is not ours', 'abc.def.ghi'],
  ])('succeeds %s', async (_name, cookie) => {
    expect((await logout(cookie)).status).toBe(200);
  });
});

describe('several session cookies in one request', () => {
  const NAME = '_secure-user-session';
  const send = (call: string, values: string[], headers: Record<string, string> = {}) =>
    post(`${app.origin}/api/${call}`, {
      headers: { cookie: values.map((value) => `${NAME}=${value}`).join('; '), ...headers },
    });

  test('the first that is live is the session, whatever stands beside it', async () => {
    const user = await createTestUser();
    const ended = await openSession(app.origin, await fetchIdToken(user));
    await nextSecond();
    const live = await openSession(app.origin, await fetchIdToken(user));
    await logout(ended);
    const [head = '', claims = '', signature = ''] = live.split('.');
    const forged = [head, claims, signature.split('').toReversed().join('')].join('.');
    for (const stale of [ended, 'no-token', '', forged, '%zz', 'x'.repeat(2_000)])
      for (const values of [
        [stale, live],
        [live, stale],
        [stale, stale, live],
      ])
        expect((await send('check-auth-status', values)).body).toMatchObject({ uid: user.uid });
    expect((await send('check-auth-status', [ended, 'no-token'])).body).toMatchObject({ status: 401 });
    expect(
      (
        await send(
          'check-auth-status',
          Array.from({ length: 300 }, (_, i) => String(i)),
        )
      ).status,
    ).toBe(401);
  });

  test('a page acts for the account that it shows, also where a session of another one comes first', async () => {
    const [one, other] = await Promise.all([createTestUser(), createTestUser()]);
    const [first, second] = await Promise.all(
      [one, other].map(async (user) => openSession(app.origin, await fetchIdToken(user))),
    );
    const values = [first ?? '', second ?? ''];
    const ask = (uid: string) => send('renew-user-session', values, { 'x-account-uid': uid });
    expect((await ask('another-account')).body).toMatchObject({ code: 'other-account' });
    for (const { uid } of [one, other]) expect((await ask(uid)).body).not.toMatchObject({ code: 'other-account' });
  });

  test('signing out ends each of them', async () => {
    const cookies = await Promise.all(
      [createTestUser(), createTestUser()].map(async (user) => openSession(app.origin, await fetchIdToken(await user))),
    );
    expect((await send('initiate-logout', ['no-token', ...cookies])).status).toBe(200);
    for (const cookie of cookies) expect((await check(cookie)).status).toBe(401);
  });
});
