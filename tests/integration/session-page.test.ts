import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { decodeJwt } from 'jose';
import type { GetServerSidePropsContext } from 'next';
import { expect, test } from 'vitest';
import { revokeAllSessions } from '@/lib/server/session/require-session';
import { requireSessionPage } from '@/lib/server/web/page';
import { getAccountSecurity, loadChangePassword } from '@/lib/server/web/security';
import { nextSecond, openSession } from '../support/client';
import { fetchGoogleIdToken, fetchIdToken, createTestUser } from '../support/test-users';
import { servedRoutes } from '../support/served-routes';

const app = servedRoutes();

function visit(cookie?: string): GetServerSidePropsContext {
  const cookies = cookie === undefined ? {} : { '_secure-user-session': cookie };
  const req = Object.assign(new IncomingMessage(new Socket()), { cookies });
  return { req, res: new ServerResponse(req), query: {}, resolvedUrl: '/user/courses' };
}

const page = requireSessionPage('courses', (session) => Promise.resolve({ props: { uid: session.status.uid } }));

test('a live session gets the page', async () => {
  const user = await createTestUser();
  const cookie = await openSession(app.origin, await fetchIdToken(user));
  expect(await page(visit(cookie))).toEqual({ props: { uid: user.uid, accountUid: user.uid } });
  expect(await requireSessionPage('security')(visit(cookie))).toEqual({ props: { accountUid: user.uid } });
});

test('a visitor without a session signs in first and returns by name', async () => {
  const context = visit();
  expect(await page(context)).toEqual({ redirect: { destination: '/sign-in?return_to=courses', permanent: false } });
  expect(context.res.getHeader('set-cookie')).toBeUndefined();
});

test('an ended session gets a notice, and its hint cookie is cleared', async () => {
  const user = await createTestUser();
  const cookie = await openSession(app.origin, await fetchIdToken(user));
  await nextSecond();
  await revokeAllSessions(user.uid, 'sign-out-everywhere');
  const context = visit(cookie);
  expect(await page(context)).toEqual({
    redirect: { destination: '/sign-in?return_to=courses&notification=AutoSignOut', permanent: false },
  });
  expect(context.res.getHeader('set-cookie')).toEqual([expect.stringMatching(/^kk_logged_in=0;/)]);
});

test.each([
  ['acme.localhost', ['microsoft.com']],
  ['north.localhost', ['apple.com']],
  // An origin without configuration gets the methods of the public origin, which has all of them.
  ['other.example', ['microsoft.com', 'apple.com', 'facebook.com', 'linkedin.com', 'github.com', 'twitter.com']],
])(
  'an account with Google can be connected with the other social providers of its origin: %s',
  async (host, others) => {
    const { sub = '' } = decodeJwt(await fetchGoogleIdToken(`${randomUUID()}@campus.test`, true));
    const { req } = visit();
    req.headers.host = host;
    expect((await getAccountSecurity(sub, req))?.security.connectable).toEqual(others);
  },
);

test('an account without a password has none to change', async () => {
  const change = requireSessionPage('change-password', loadChangePassword);
  const user = await createTestUser();
  const cookie = await openSession(app.origin, await fetchIdToken(user));
  expect(await change(visit(cookie))).toEqual({ props: { email: user.email, accountUid: user.uid } });
  const token = await fetchGoogleIdToken(`${randomUUID()}@campus.test`, true);
  expect(await change(visit(await openSession(app.origin, token)))).toEqual({
    redirect: { destination: '/security', permanent: false },
  });
});
