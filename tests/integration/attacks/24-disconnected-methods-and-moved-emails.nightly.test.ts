// Threats: stolen-session, unproved-rename
import { describe, expect, test } from 'vitest';
import { attackTools } from '../../support/attack';
import { nextSecond, type CookieJar } from '../../support/client';
import { codeIn } from '../../support/mail';
import type { TestUser } from '../../support/accounts-client';

const { at, browser, freshEmail, mails, accounts, provider, refresh, signInWithIdp } = attackTools();
const OWN = 'quiet-lantern-42';
const ATTACKERS = 'attacker-pass-1';

const create = (token: unknown, by = browser()) => by.post(at('/api/create-user-session'), { token });
const check = async (by: CookieJar) => {
  const { status, body } = await by.post(at('/api/check-auth-status'));
  return [status, body?.code ?? body?.email];
};
const unlink = (by: CookieJar, token: unknown, method: string) =>
  by.post(at('/api/account/unlink-method'), { token, method });
const update = (change: object) => provider('accounts:update', { returnSecureToken: true, ...change });
const signIn = (email: string, password: string) =>
  provider('accounts:signInWithPassword', { email, password, returnSecureToken: true });
const exchange = async (token: unknown) =>
  (await provider('accounts:signInWithCustomToken', { token, returnSecureToken: true })).body;
const identify = (email: string) => ({ sub: email, email, email_verified: true });

/** Registers, confirms and signs in. */
async function register(email: string) {
  const by = browser();
  await by.post(at('/api/registration'), { name: 'Mia Moreau', email, password: OWN });
  const code = codeIn((await mails(email)).at(-1) ?? { text: '' });
  const { body } = await by.post(at('/api/registration/confirm'), { code });
  const { idToken } = await exchange(body?.customToken);
  expect((await create(idToken, by)).status).toBe(200);
  return { by, idToken: String(idToken) };
}

/** Creates an account to which an attacker has linked a Google identity, with which the attacker is signed in. */
async function infiltrated() {
  const user = await accounts.create();
  const owner = browser();
  const token = await accounts.idToken(user);
  await create(token, owner);
  const own = freshEmail('mallory.test');
  await signInWithIdp('google.com', identify(own), token);
  const attackers = (await signInWithIdp('google.com', identify(own))).body;
  expect(attackers.localId).toBe(user.uid);
  const attacker = browser();
  expect((await create(attackers.idToken, attacker)).status).toBe(200);
  await nextSecond();
  return { user, owner, attacker, attackers };
}

async function link(user: TestUser, providerId: string) {
  await signInWithIdp(providerId, identify(user.email), await accounts.idToken(user));
}

describe('disconnecting a sign-in method', () => {
  test('evicts every browser that used it', async () => {
    const { user, owner, attacker, attackers } = await infiltrated();
    expect((await unlink(owner, await accounts.idToken(user), 'google.com')).status).toBe(200);
    expect((await check(attacker))[0]).toBe(401);
    expect((await attacker.post(at('/api/auto-sign-in'))).status).toBe(401);
    // The emulator does not revoke refresh tokens, but the provider does.
    expect((await create((await refresh(String(attackers.refreshToken))).body.id_token)).status).toBe(401);
    expect((await update({ idToken: attackers.idToken, password: ATTACKERS })).status).toBe(400);
    expect((await create(await accounts.idToken(user))).status).toBe(200);
  });

  test('keeps the browser of the owner signed in, here and at the identity provider', async () => {
    const { user, owner } = await infiltrated();
    const { body } = await unlink(owner, await accounts.idToken(user), 'google.com');
    expect(await check(owner)).toEqual([200, user.email]);
    const { idToken } = await exchange(body?.customToken);
    expect((await update({ idToken, displayName: 'Mia' })).status).toBe(200);
    const copy = owner.copy();
    expect((await owner.post(at('/api/initiate-logout'))).status).toBe(200);
    expect((await check(copy))[0]).toBe(401);
    expect((await create(idToken)).status).toBe(401);
  });

  test('keeps it if it proved with the method that it disconnects', async () => {
    const user = await accounts.create();
    await link(user, 'google.com');
    const owner = browser();
    const { idToken } = (await signInWithIdp('google.com', identify(user.email))).body;
    await create(idToken, owner);
    expect((await unlink(owner, idToken, 'google.com')).status).toBe(200);
    expect(await check(owner)).toEqual([200, user.email]);
    expect((await owner.post(at('/api/auto-sign-in'))).status).toBe(200);
  });

  test('does not count as a new proof', async () => {
    const user = await accounts.create();
    await link(user, 'google.com');
    await link(user, 'github.com');
    const token = await accounts.idToken(user);
    const authenticatedAt = readClaims(token).auth_time;
    const owner = browser();
    await create(token, owner);
    await nextSecond();
    const first = await unlink(owner, token, 'google.com');
    const { idToken } = await exchange(first.body?.customToken);
    expect(readClaims(String(idToken)).learner_identity).toMatchObject({ proved_at: authenticatedAt });
    const second = await unlink(owner, idToken, 'github.com');
    expect(second.status).toBe(200);
    expect(await check(owner)).toEqual([200, user.email]);
    const renewed = readClaims(String((await exchange(second.body?.customToken)).idToken));
    expect(renewed.learner_identity).toMatchObject({ proved_at: authenticatedAt });
  });

  test('at the identity provider ends the sessions of that method, and no others', async () => {
    const { user, owner, attacker } = await infiltrated();
    await update({ idToken: await accounts.idToken(user), deleteProvider: ['google.com'] });
    await expect.poll(async () => (await check(attacker))[0], { timeout: 60_000, interval: 1_000 }).toBe(401);
    expect(await check(owner)).toEqual([200, user.email]);
  });

  test.each(['oidc.closed', 'oidc.gone', 'saml.gone'])(
    'is refused if only %s is left, which cannot sign in',
    async (useless) => {
      const user = await accounts.create();
      await link(user, useless);
      expect(await accounts.fetchMethods(user)).toContain(useless);
      const owner = browser();
      const token = await accounts.idToken(user);
      await create(token, owner);
      const answer = await unlink(owner, token, 'password');
      expect([answer.status, answer.body?.code]).toEqual([409, 'last-method']);
      expect((await unlink(owner, token, useless)).status).toBe(200);
      expect(await accounts.fetchMethods(user)).toEqual(['password']);
    },
  );
});

describe('an email that was changed at the identity provider', () => {
  test('leaves the sessions of the one before', async () => {
    const [own, victims] = [freshEmail('mallory.test'), freshEmail()];
    const user = await accounts.create({ email: own });
    const idToken = await accounts.idToken(user);
    const attacker = browser();
    await create(idToken, attacker);
    await provider('accounts:sendOobCode', { requestType: 'VERIFY_AND_CHANGE_EMAIL', idToken, newEmail: victims });
    await update({ oobCode: await accounts.readProviderCode(own, 'VERIFY_AND_CHANGE_EMAIL') });
    expect(await accounts.fetchRecord(user)).toMatchObject({ email: victims, emailVerified: true });
    await expect.poll(async () => (await check(attacker))[0], { timeout: 60_000, interval: 1_000 }).toBe(401);
    expect((await create(idToken)).status).toBe(401);
  });

  test('does not move an account that was proved here', async () => {
    const [own, victims] = [freshEmail('mallory.test'), freshEmail()];
    const { idToken } = await register(own);
    await provider('accounts:sendOobCode', { requestType: 'VERIFY_AND_CHANGE_EMAIL', idToken, newEmail: victims });
    expect((await update({ oobCode: await accounts.readProviderCode(own, 'VERIFY_AND_CHANGE_EMAIL') })).status).toBe(
      200,
    );
    await nextSecond();
    const answer = await create((await signIn(victims, OWN)).body.idToken);
    expect([answer.status, answer.body?.code]).toEqual([401, 'token-revoked']);
    expect(await accounts.exists(victims)).toBe(false);
  });

  test('is reported to the one before once the new one is proved', async () => {
    const [before, after] = [freshEmail(), freshEmail('mallory.test')];
    const user = await accounts.create({ email: before });
    await update({ idToken: await accounts.idToken(user), email: after });
    const attacker = browser();
    // The change has revoked all sign-ins of earlier seconds.
    const token = await accounts.idToken({ ...user, email: after });
    expect((await attacker.post(at('/api/email-confirmation'), { token })).status).toBe(200);
    const code = codeIn((await mails(after)).at(-1) ?? { text: '' });
    expect((await attacker.post(at('/api/registration/confirm'), { code })).status).toBe(200);
    const [notice] = await mails(before);
    expect(notice?.subject).toMatch(/^The email address of your .* account was changed$/);
    expect(notice?.text).not.toContain(after);
  });
});

function readClaims(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
}
