// Threats: pre-hijacking, unproved-rename
import { expect, test } from 'vitest';
import { PROVED_ADDRESS_CLAIM } from '@/lib/server/policy/account';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { post } from '../support/client';
import { createTestUser, fetchIdToken, fetchOrganizationIdToken } from '../support/test-users';
import { servedRoutes } from '../support/served-routes';

const app = servedRoutes();

const PASSWORD = 'quiet-lantern-42';
/** Lists every route that evaluates an ID token. */
const ROUTES = ['/api/create-user-session', '/api/email-confirmation', '/api/account/first-password'];
const send = (route: string, token: string) => post(app.origin + route, { body: { token, password: PASSWORD } });

test.each(ROUTES)('%s restores the proved email of an account that has another one', async (route) => {
  const user = await createTestUser({ emailVerified: true });
  const proved = `proved-${user.email}`;
  await getIdentityAdmin().setCustomUserClaims(user.uid, { [PROVED_ADDRESS_CLAIM]: proved });
  const answer = await send(route, await fetchIdToken(user));
  expect([answer.status, answer.body?.code, answer.cookies]).toEqual([401, 'token-revoked', {}]);
  expect((await getIdentityAdmin().getUser(user.uid)).email).toBe(proved);
});

test.each(ROUTES)('%s unlinks a provider that is not authorized for the email', async (route) => {
  const { uid, email } = await createTestUser({ emailVerified: true });
  const answer = await send(route, await fetchOrganizationIdToken('saml.acme', email));
  expect([answer.status, answer.body?.code]).toEqual([422, 'invalid-enterprise-domain']);
  const { providerData } = await getIdentityAdmin().getUser(uid);
  expect(providerData.map(({ providerId }) => providerId)).toEqual(['password']);
});
