import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { createAccountsClient } from '../support/accounts-client';
import { openSession, post } from '../support/client';
import { servedRoutes } from '../support/served-routes';
import { createTestUser, fetchIdToken } from '../support/test-users';

const app = servedRoutes();

const accounts = createAccountsClient({ emulatorHost: inject('emulatorHost'), projectId: 'demo-campus' });

async function signedIn() {
  const user = await createTestUser();
  const cookie = await openSession(app.origin, await fetchIdToken(user));
  const rename = (name: unknown, with_: string | undefined = cookie) =>
    post(`${app.origin}/api/account/name`, { ...(with_ && { cookie: with_ }), body: { name } });
  const readName = async () =>
    (await post(`${app.origin}/api/check-auth-status`, { cookie })).body as { displayName: string };
  return { user, cookie, rename, readName };
}

test('the name is changed at the provider and in the session at once, and the session lives on', async () => {
  const { user, rename, readName } = await signedIn();
  await readName();
  expect((await rename('  Zoë   Martin ')).status).toBe(200);
  expect(await readName()).toMatchObject({ uid: user.uid, email: user.email, displayName: 'Zoë Martin' });
  expect(await accounts.fetchRecord(user)).toMatchObject({ displayName: 'Zoë Martin', email: user.email });
});

test.each(['Jo', 'x'.repeat(29), 'see evil.example', '<b>Zoë</b>', 'a\u202Ebc', '', 7, null])(
  'a name like %j is refused, and changes nothing',
  async (name) => {
    const { user, rename } = await signedIn();
    expect((await rename(name)).status).toBe(400);
    expect(await accounts.fetchRecord(user)).toMatchObject({ displayName: user.name });
  },
);

test('without a session nothing is changed', async () => {
  const { user } = await signedIn();
  const answer = await post(`${app.origin}/api/account/name`, { body: { name: `Name ${randomUUID().slice(0, 8)}` } });
  expect(answer.status).toBe(401);
  expect(await accounts.fetchRecord(user)).toMatchObject({ displayName: user.name });
});

test('an account is renamed 20 times an hour at most', async () => {
  const { rename } = await signedIn();
  for (let i = 0; i < 20; i++) expect((await rename(`Name ${String(i)}`)).status).toBe(200);
  const refused = await rename('One too many');
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
});
