// Threats: provider-takeover
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attackTools } from '../../support/attack';
import { installBlockingFunctions } from '../../support/blocking-function';
import { codeIn } from '../../support/mail';
import { startStack, type Stack } from '../../../scripts/lib/stack.mjs';

const ATTACKERS = 'attacker-pass-1';
const DIRECTORY = JSON.stringify({
  enterprises: { 'acme.test': { name: 'Acme', provider: 'saml.acme' } },
  partners: {
    any: { name: 'Any', provider: 'oidc.any' },
    own: { name: 'Own', provider: 'oidc.own', emailDomains: ['own.test'] },
    closed: { name: 'Closed', provider: 'oidc.closed', enabled: false, emailDomains: ['closed.test'] },
  },
});

// The functions apply to a whole emulator, so these tests use a separate emulator.
let stack: Stack;
let attack: ReturnType<typeof attackTools>;
beforeAll(async () => {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'directory-')), 'directory.json');
  writeFileSync(file, DIRECTORY);
  stack = await startStack({ name: 'attack-20', env: { DIRECTORY_FILE: file } });
  attack = attackTools(stack.endpoints);
});
afterAll(() => stack.stop());

const signIn = (provider: string, email: string, idToken?: string) =>
  attack.signInWithIdp(provider, { sub: `sub-${email}`, email, email_verified: true }, idToken);
const openSession = (token: unknown, by = attack.browser()) =>
  by.post(attack.at('/api/create-user-session'), { token });
const fetchMethods = (body: Record<string, unknown>) => attack.accounts.fetchMethods({ uid: String(body.localId) });

/** Signs in with the provider, sets a password and removes the provider. @returns the app's response to the password */
async function takeOver(provider: string, email: string) {
  const { body } = await signIn(provider, email);
  const update = (change: object) => attack.provider('accounts:update', { returnSecureToken: true, ...change });
  const changed = await update({ idToken: body.idToken, password: ATTACKERS });
  await update({ idToken: changed.body.idToken, deleteProvider: [provider] });
  return openSession(await attack.accounts.idToken({ email, password: ATTACKERS }));
}

// If this test fails, the limitation no longer exists, and docs/security.md (accepted risks) must say so.
describe('without the blocking functions', () => {
  test.each(['oidc.gone', 'oidc.closed', 'oidc.any'])('%s takes over an account', async (provider) => {
    const { email } = await attack.accounts.create();
    expect((await takeOver(provider, email)).status).toBe(200);
  });
});

describe('with the blocking functions', () => {
  let removeFunctions: () => Promise<void>;
  beforeAll(async () => {
    removeFunctions = await installBlockingFunctions(stack.endpoints, DIRECTORY);
  });
  afterAll(() => removeFunctions());

  const refused = { status: 400, body: { error: { message: expect.stringContaining('PERMISSION_DENIED') as string } } };

  describe('a provider does not sign in to an account', () => {
    test.each([
      ['not entered', 'oidc.gone', 'campus.test'],
      ['not entered, SAML', 'saml.gone', 'acme.test'],
      ['closed', 'oidc.closed', 'closed.test'],
      ['SAML, foreign domain', 'saml.acme', 'campus.test'],
      ['foreign domain', 'oidc.own', 'campus.test'],
      ['without domains', 'oidc.any', 'campus.test'],
      ["without domains, an enterprise's domain", 'oidc.any', 'acme.test'],
      ["without domains, another partner's domain", 'oidc.any', 'own.test'],
    ])('%s', async (_what, provider, domain) => {
      for (const emailVerified of [true, false]) {
        const victim = await attack.accounts.create({ email: attack.freshEmail(domain), emailVerified });
        const before = await attack.accounts.fetchRecord(victim);
        expect(await signIn(provider, victim.email)).toMatchObject(refused);
        await expect(takeOver(provider, victim.email)).rejects.toThrow('No sign-in');
        expect(await attack.accounts.fetchRecord(victim)).toEqual(before);
        await attack.accounts.idToken(victim);
      }
    });

    test('nor creates one, unless it is listed without domains', async () => {
      for (const [provider, domain] of [
        ['oidc.gone', 'campus.test'],
        ['oidc.closed', 'closed.test'],
        ['saml.acme', 'campus.test'],
        ['oidc.own', 'campus.test'],
        ['oidc.any', 'acme.test'],
      ] as const) {
        const email = attack.freshEmail(domain);
        expect(await signIn(provider, email)).toMatchObject(refused);
        expect(await attack.accounts.exists(email)).toBe(false);
      }
    });

    test('nor is linked by a user: to their own account, or to an anonymous one for a free email', async () => {
      const own = (await signIn('google.com', attack.freshEmail())).body;
      const anonymous = (await attack.provider('accounts:signUp', { returnSecureToken: true })).body;
      for (const provider of ['oidc.gone', 'oidc.closed', 'saml.acme', 'oidc.any'])
        for (const { idToken, localId } of [own, anonymous]) {
          const before = await fetchMethods({ localId });
          expect(await signIn(provider, attack.freshEmail(), String(idToken))).toMatchObject(refused);
          expect(await fetchMethods({ localId })).toEqual(before);
        }
    });
  });

  test('an account created by a partner without domains needs the code with every sign-in method', async () => {
    const email = attack.freshEmail();
    const { body } = await signIn('oidc.any', email);
    for (const { idToken } of [body, (await signIn('oidc.any', email)).body]) {
      const answer = await openSession(idToken);
      expect([answer.status, answer.body?.code, answer.cookies]).toEqual([403, 'email-not-verified', {}]);
    }
    const answer = await takeOver('oidc.any', email);
    expect([answer.status, answer.body?.code, answer.cookies]).toEqual([403, 'email-not-verified', {}]);
  });

  test('the owner confirms the account with the code, and the partner signs in', async () => {
    const email = attack.freshEmail();
    const by = attack.browser();
    const token = (await signIn('oidc.any', email)).body.idToken;
    expect((await openSession(token, by)).status).toBe(403);
    expect((await by.post(attack.at('/api/email-confirmation'), { token })).status).toBe(200);
    const [mail] = await attack.mails(email);
    const confirmed = await by.post(attack.at('/api/registration/confirm'), { code: codeIn(mail ?? { text: '' }) });
    expect(confirmed.status).toBe(200);
    const { body } = await signIn('oidc.any', email);
    expect((await openSession(body.idToken)).status).toBe(200);
    expect(await fetchMethods(body)).toEqual(['oidc.any']);
  });

  describe('unaffected', () => {
    test.each([
      ['saml.acme', 'acme.test'],
      ['oidc.own', 'own.test'],
      ['google.com', 'campus.test'],
      ['oidc.linkedin', 'campus.test'],
    ])('%s signs in to a new and to an existing account', async (provider, domain) => {
      const created = await signIn(provider, attack.freshEmail(domain));
      expect((await openSession(created.body.idToken)).status).toBe(200);
      const existing = await attack.accounts.create({ email: attack.freshEmail(domain) });
      expect((await openSession((await signIn(provider, existing.email)).body.idToken)).status).toBe(200);
      expect(await attack.accounts.fetchMethods(existing)).toEqual(['password', provider].sort());
    });

    test('a password signs in, and Google is linked to it', async () => {
      const user = await attack.accounts.create();
      const token = await attack.accounts.idToken(user);
      expect((await openSession(token)).status).toBe(200);
      expect((await signIn('google.com', attack.freshEmail(), token)).status).toBe(200);
      expect(await attack.accounts.fetchMethods(user)).toEqual(['google.com', 'password']);
    });
  });
});
