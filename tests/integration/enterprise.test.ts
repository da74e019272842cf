// ASVS: 6.8.1, 10.2.2
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { openSession, post } from '../support/client';
import { fetchIdToken, fetchOrganizationIdToken } from '../support/test-users';
import { servedRoutes } from '../support/served-routes';

const app = servedRoutes();

const lookup = (email: string) => post(`${app.origin}/api/enterprise/lookup`, { body: { email } });
const createSession = (token: string) => post(`${app.origin}/api/create-user-session`, { body: { token } });

test('a work email resolves to its organization in any case', async () => {
  const answer = await lookup('Erin@ACME.test');
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({ name: 'Acme', provider: 'saml.acme' });
});

test.each([
  ['a public mailbox', 'me@campus.test', 'invalid-enterprise-sign-in-email'],
  ['an unknown domain', 'me@unknown.test', 'invalid-enterprise-domain'],
  ['a domain under a known one', 'me@sub.acme.test', 'invalid-enterprise-domain'],
  ['a lookalike', 'me@acme.test.evil.example', 'invalid-enterprise-domain'],
  ['an organization without SAML', 'me@north.test', 'invalid-sso-method'],
])('%s is refused with its own code', async (_what, email, code) => {
  const answer = await lookup(email);
  expect(answer.status).toBe(422);
  expect(answer.body?.code).toBe(code);
});

test('an invalid email is not looked up', async () => {
  expect((await lookup('acme.test')).status).toBe(400);
  expect((await lookup('constructor')).status).toBe(400);
});

test('a SAML sign-in to an existing password account keeps the uid and the password', async () => {
  const email = `${randomUUID()}@acme.test`;
  const { uid } = await getIdentityAdmin().createUser({ email, password: 'correct-horse-7', emailVerified: true });
  await openSession(app.origin, await fetchOrganizationIdToken('saml.acme', email));
  const user = await getIdentityAdmin().getUser(uid);
  expect(user.providerData.map(({ providerId }) => providerId).sort()).toEqual(['password', 'saml.acme']);
  await openSession(app.origin, await fetchIdToken({ email, password: 'correct-horse-7' }));
});

test('the first SAML sign-in removes an unverified password', async () => {
  const email = `${randomUUID()}@acme.test`;
  await getIdentityAdmin().createUser({ email, password: 'attacker-pass', emailVerified: false });
  await openSession(app.origin, await fetchOrganizationIdToken('saml.acme', email));
  await expect(fetchIdToken({ email, password: 'attacker-pass' })).rejects.toThrow(/INVALID|EMAIL_NOT_FOUND/);
});

test('an organization is not authorized for an email outside its domains', async () => {
  const email = `${randomUUID()}@campus.test`;
  const { uid } = await getIdentityAdmin().createUser({ email, password: 'correct-horse-7', emailVerified: true });
  const answer = await createSession(await fetchOrganizationIdToken('saml.acme', email));
  expect(answer.status).toBe(422);
  expect(answer.body?.code).toBe('invalid-enterprise-domain');
  expect(answer.cookies).toEqual({});
  const user = await getIdentityAdmin().getUser(uid);
  expect(user.providerData.map(({ providerId }) => providerId)).toEqual(['password']);
  await openSession(app.origin, await fetchIdToken({ email, password: 'correct-horse-7' }));
});

test('a disabled partner cannot sign in to any account', async () => {
  const answer = await createSession(await fetchOrganizationIdToken('oidc.closed', `${randomUUID()}@partner.test`));
  expect(answer.status).toBe(422);
  await openSession(app.origin, await fetchOrganizationIdToken('oidc.acme', `${randomUUID()}@partner.test`));
});
