// ASVS: 6.2.2, 6.2.3, 6.8.4, 7.5.1, 10.3.4
// Threats: token-for-password
import { beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { nextSecond, openSession, post } from '../support/client';
import { mailsBesidesAlerts } from '../support/mail';
import { idTokenByCustomToken, fetchIdToken, createTestUser, type TestUser } from '../support/test-users';
import { servedRoutes, startRoutesProcess } from '../support/served-routes';

const NEW_PASSWORD = 'quiet-lantern-42';
/** Bodies of the calls that change the account. */
const BODIES: Record<string, object> = {
  data: { token: 'x' },
  delete: { token: 'x' },
  'end-sessions': { others: true },
  'unlink-method': { token: 'x', method: 'google.com' },
};

const app = servedRoutes();
let user: TestUser;
beforeEach(async () => {
  vi.useRealTimers();
  user = await createTestUser();
});

const change = (cookie: string | undefined, current: string, password = NEW_PASSWORD) =>
  post(`${app.origin}/api/account/password`, { ...(cookie !== undefined && { cookie }), body: { current, password } });
const check = (cookie?: string) => post(`${app.origin}/api/check-auth-status`, { cookie });
const open = async () => openSession(app.origin, await fetchIdToken(user));

describe('a new password', () => {
  test('ends all other sessions, keeps this browser signed in, and is emailed to the owner', async () => {
    const other = await open();
    await nextSecond();
    const answer = await change(await open(), user.password);
    expect(answer).toMatchObject({ status: 200, body: { signedIn: true } });
    expect((await check(other)).status).toBe(401);
    expect((await check(answer.cookies['_secure-user-session']?.value)).status).toBe(200);
    await expect(fetchIdToken(user)).rejects.toThrow(/INVALID/);
    const [mail] = await mailsBesidesAlerts({ mailboxUrl: inject('mailboxUrl') }, user.email);
    expect(mail?.subject).toBe('Your Campus password was changed');
    expect(mail?.text).toContain('Sign-in methods you can use now: email and password.');
  });

  test('is set also where the provider makes no session then, and the response says so', async () => {
    const session = await open();
    vi.spyOn(getIdentityAdmin(), 'createSessionCookie').mockRejectedValueOnce(new Error('out of order'));
    const answer = await change(session, user.password);
    expect(answer).toMatchObject({ status: 200, body: { signedIn: false } });
    expect(answer.cookies['password-update']?.value).toBe('1');
    expect((await check(session)).status).toBe(401);
    await fetchIdToken({ ...user, password: NEW_PASSWORD });
  });

  test('needs the current password and a live session', async () => {
    const session = await open();
    expect((await change(session, 'not-my-password')).body).toMatchObject({ code: 'password-wrong', status: 403 });
    expect((await change(undefined, user.password)).body).toMatchObject({ code: 'session-required' });
    await post(`${app.origin}/api/initiate-logout`, { cookie: session });
    expect((await change(session, user.password)).body).toMatchObject({ code: 'session-required' });
    await fetchIdToken(user);
  });

  test('needs a session that is live now, not one that was within the last 20 s', async () => {
    const session = await open();
    expect((await check(session)).status).toBe(200);
    await nextSecond();
    // Another deployment or an operator can do this.
    await getIdentityAdmin().revokeRefreshTokens(user.uid);
    expect((await check(session)).status).toBe(200);
    expect((await change(session, user.password)).body).toMatchObject({ code: 'token-revoked', status: 401 });
    for (const call of ['sign-out-everywhere', 'keep', 'data', 'delete', 'end-sessions', 'unlink-method'])
      expect(
        (await post(`${app.origin}/api/account/${call}`, { cookie: session, body: BODIES[call] })).status,
        call,
      ).toBe(401);
    await fetchIdToken(user);
  });

  test('is refused if it is easy to guess', async () => {
    const session = await open();
    expect((await change(session, user.password, 'iloveyou1')).body).toMatchObject({ code: 'password-common' });
    expect((await change(session, user.password, 'short')).body).toMatchObject({ code: 'bad-request' });
  });

  test('is not the current one', async () => {
    const answer = await change(await open(), user.password, user.password);
    expect(answer).toMatchObject({ status: 400, body: { code: 'password-unchanged' } });
    expect((await change(await open(), NEW_PASSWORD)).body).toMatchObject({ code: 'password-wrong' });
  });

  test('is not the current one in another Unicode form', async () => {
    const [composed, decomposed] = ['é-è-ñ-ä-42-51'.normalize('NFC'), 'é-è-ñ-ä-42-51'.normalize('NFD')];
    await getIdentityAdmin().updateUser(user.uid, { password: decomposed });
    const session = await openSession(app.origin, await fetchIdToken({ ...user, password: decomposed }));
    const answer = await change(session, decomposed, composed);
    expect(answer).toMatchObject({ status: 400, body: { code: 'password-unchanged' } });
  });

  test('can be set ten times an hour at most, failed attempts included', async () => {
    const session = await open();
    const statuses = [];
    for (let count = 0; count <= 10; count += 1) statuses.push((await change(session, `guess-${count}`)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(403), 429]);
  });
});

describe('a legacy account', () => {
  const create = async (origin: string) =>
    post(`${origin}/api/create-user-session`, { body: { token: await fetchIdToken(user) } });

  beforeEach(() => getIdentityAdmin().setCustomUserClaims(user.uid, { legacy: true }));

  test.each(['V3Only', 'V3AndV2'])('signs in like any other: %s', async (mode) => {
    const server = await startRoutesProcess({ NEXT_PUBLIC_ROLLOUT_MODE: mode });
    const answer = await create(server.origin);
    await server.stop();
    expect(answer.status).toBe(200);
    expect(answer.cookies['legacy-user-status']?.value).toBe('legacy');
  });

  test('gets no session before a new password: V3FirstLogin', async () => {
    const server = await startRoutesProcess({ NEXT_PUBLIC_ROLLOUT_MODE: 'V3FirstLogin' });
    expect((await create(server.origin)).body).toMatchObject({ code: 'legacy-reset-required', status: 403 });
    const body = { token: await fetchIdToken(user), password: NEW_PASSWORD };
    const answer = await post(`${server.origin}/api/account/first-password`, { body });
    expect(answer.cookies['legacy-user-status']?.value).toBe('v3');
    user = { ...user, password: NEW_PASSWORD };
    expect((await create(server.origin)).status).toBe(200);
    await server.stop();
  });

  test('sets the password only if it is required, and only after a sufficient sign-in', async () => {
    const body = { token: await fetchIdToken(user), password: NEW_PASSWORD };
    const first = (origin: string, values: object) =>
      post(`${origin}/api/account/first-password`, { body: { ...body, ...values } });
    expect((await first(app.origin, {})).body).toMatchObject({ code: 'recent-login-required' });
    const server = await startRoutesProcess({ NEXT_PUBLIC_ROLLOUT_MODE: 'V3FirstLogin' });
    const minted = await idTokenByCustomToken(await getIdentityAdmin().createCustomToken(user.uid));
    expect((await first(server.origin, { token: minted })).body).toMatchObject({ code: 'token-revoked' });
    expect((await first(server.origin, { token: 'x.y.z' })).body).toMatchObject({ code: 'token-invalid' });
    await server.stop();
  });

  test('is sent to the legacy sign-in: V2FirstLogin', async () => {
    const server = await startRoutesProcess({
      NEXT_PUBLIC_ROLLOUT_MODE: 'V2FirstLogin',
      NEXT_PUBLIC_LEGACY_SIGN_IN_URL: 'http://localhost:3001/old-sign-in',
    });
    const answer = await create(server.origin);
    await server.stop();
    expect(answer.body).toMatchObject({ code: 'legacy-sign-in-required', status: 403 });
    expect(answer.cookies).toEqual({});
  });
});
