import { readFileSync } from 'node:fs';
import { stringifyCookie } from 'cookie';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIdentity } from '../../examples/express/identity.mjs';
import { createTestSession } from '../../examples/test-session/session.mjs';
import { timeLimit } from '@/lib/shared/time-limit';
import { openSession, post } from '../support/client';
import { fetchIdToken, createTestUser } from '../support/test-users';
import { serveRoutes, type RunningRoutes } from '../support/routes';

type Guide = Pick<ReturnType<typeof createIdentity>, 'getSignInUrl' | 'getSession'>;

let app: RunningRoutes;
let guide: Guide;
beforeAll(async () => {
  app = await serveRoutes();
  guide = await codeOfGuide(app.origin);
});
afterAll(() => app.close());

/**
 * Loads the function of docs/integration.md verbatim, with this app instead of the example host, and the names that the
 * function uses.
 */
async function codeOfGuide(origin: string): Promise<Guide> {
  const blocks = [...readFileSync('docs/integration.md', 'utf8').matchAll(/```js\n([^]*?)```/g)].map(
    ([, code = '']) => code,
  );
  const functions = blocks.filter((code) => /^(?:async )?function /m.test(code));
  const code = functions.join('\n').replaceAll('https://id.campus.example', origin);
  const source = `${code}\nexport { getSignInUrl };`;
  const written = (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(source)}`)) as Guide;
  const { getSession } = createIdentity({
    identityOrigin: origin,
    ownOrigin: 'https://learn.campus.example',
    cacheMs: 0,
    timeoutMs: timeLimit(5_000),
  });
  return { getSignInUrl: written.getSignInUrl, getSession };
}

test('the code of the integration guide checks sessions', async () => {
  const user = await createTestUser();
  const session = await openSession(app.origin, await fetchIdToken(user));
  const cookie = stringifyCookie({ '_secure-user-session': session });
  expect(await guide.getSession(cookie)).toMatchObject({ state: 'signed-in', learner: { email: user.email } });
  await post(`${app.origin}/api/initiate-logout`, { cookie: session });
  expect(await guide.getSession(cookie)).toEqual({ state: 'signed-out' });
  expect(await guide.getSession(undefined)).toEqual({ state: 'signed-out' });
});

test('and reports unknown without a response', async () => {
  const elsewhere = await codeOfGuide('http://127.0.0.1:9');
  expect(await elsewhere.getSession('_secure-user-session=b')).toEqual({ state: 'unknown' });
});

test('and redirects to sign-in with a redirect_uri', () => {
  const address = new URL(guide.getSignInUrl('/user/courses/algebra'));
  expect(address.origin + address.pathname).toBe(`${app.origin}/sign-in`);
  expect(address.searchParams.get('redirect_uri')).toBe('https://learn.campus.example/user/courses/algebra');
});

test('a session for the tests of a platform, without a browser', async () => {
  const user = await createTestUser();
  const emulatorHost = process.env.FIREBASE_AUTH_EMULATOR_HOST ?? '';
  const cookie = await createTestSession({ ...user, appOrigin: app.origin, emulatorHost });
  expect(await guide.getSession(`other=1; ${cookie}`)).toMatchObject({ learner: { uid: user.uid } });
  await expect(
    createTestSession({ email: user.email, password: 'wrong', appOrigin: app.origin, emulatorHost }),
  ).rejects.toThrow('accounts:signInWithPassword responded with 400');
});
