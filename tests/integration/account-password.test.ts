import '../support/environment';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { identityAdmin } from '@/lib/server/session';
import { openSession, post } from '../support/client';
import { mailsTo } from '../support/mail';
import { idTokenByCustomToken, idTokenOf, newPerson, nextSecond, type Person } from '../support/people';
import { serveRoutes, type RunningRoutes } from '../support/routes';
import { startRoutesProcess } from '../support/routes-process';

const NEW_PASSWORD = 'quiet-lantern-42';

let app: RunningRoutes;
let person: Person;
beforeAll(async () => {
  app = await serveRoutes();
});
afterAll(() => app.close());
beforeEach(async () => {
  vi.useRealTimers();
  person = await newPerson();
});

const change = (token: string, password = NEW_PASSWORD) =>
  post(`${app.origin}/api/account/password`, { body: { token, password } });
const check = (cookie?: string) => post(`${app.origin}/api/check-auth-status`, { cookie });

describe('a new password', () => {
  test('ends all other sessions, keeps this browser signed in, and is told to the owner', async () => {
    const other = await openSession(app.origin, await idTokenOf(person));
    await nextSecond();
    const answer = await change(await idTokenOf(person));
    expect(answer.status).toBe(200);
    expect((await check(other)).status).toBe(401);
    expect((await check(answer.cookies['_secure-user-session']?.value)).status).toBe(200);
    await expect(idTokenOf(person)).rejects.toThrow();
    const [mail] = await mailsTo({ mailboxUrl: inject('mailboxUrl') }, person.email);
    expect(mail?.subject).toBe('Your Campus password was changed');
  });

  test('needs a recent sign-in', async () => {
    const token = await idTokenOf(person);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 301_000 });
    expect((await change(token)).body).toMatchObject({ code: 'recent-login-required', status: 403 });
  });

  test('needs a sign-in with the present one', async () => {
    const token = await idTokenByCustomToken(await identityAdmin().createCustomToken(person.uid));
    expect((await change(token)).body).toMatchObject({ code: 'recent-login-required' });
    expect((await change('x.y.z')).body).toMatchObject({ code: 'token-invalid', status: 401 });
  });

  test('is no easy one', async () => {
    expect((await change(await idTokenOf(person), 'iloveyou1')).body).toMatchObject({ code: 'password-common' });
    expect((await change(await idTokenOf(person), 'short')).body).toMatchObject({ code: 'bad-request' });
  });

  test('is set ten times an hour at most', async () => {
    const statuses = [];
    for (let count = 0; count <= 10; count += 1) {
      const password = `quiet-lantern-${count}`;
      statuses.push((await change(await idTokenOf(person), password)).status);
      if (statuses.at(-1) === 200) person = { ...person, password };
    }
    expect(statuses).toEqual([...Array<number>(10).fill(200), 429]);
  });
});

describe('a legacy person', () => {
  const create = async (origin: string) =>
    post(`${origin}/api/create-user-session`, { body: { token: await idTokenOf(person) } });

  beforeEach(() => identityAdmin().setCustomUserClaims(person.uid, { legacy: true }));

  test.each(['V3Only', 'V3AndV2'])('signs in as everybody else: %s', async (mode) => {
    const server = await startRoutesProcess({ NEXT_PUBLIC_ROLLOUT_MODE: mode });
    const answer = await create(server.origin);
    await server.stop();
    expect(answer.status).toBe(200);
    expect(answer.cookies['legacy-user-status']?.value).toBe('legacy');
  });

  test('gets no session before a new password: V3FirstLogin', async () => {
    const server = await startRoutesProcess({ NEXT_PUBLIC_ROLLOUT_MODE: 'V3FirstLogin' });
    expect((await create(server.origin)).body).toMatchObject({ code: 'legacy-reset-required', status: 403 });
    const body = { token: await idTokenOf(person), password: NEW_PASSWORD };
    const answer = await post(`${server.origin}/api/account/password`, { body });
    expect(answer.cookies['legacy-user-status']?.value).toBe('v3');
    person = { ...person, password: NEW_PASSWORD };
    expect((await create(server.origin)).status).toBe(200);
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
