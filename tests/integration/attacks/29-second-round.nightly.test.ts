// Threats: unproved-rename, hindered-browser, unnoticed-sign-in
// Variants of earlier attacks, written independently of the code that stops those attacks.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { attackTools } from '../../support/attack';
import { nextSecond, type CookieJar } from '../../support/client';
import { readMailbox } from '../../support/mail';
import { registerOwner } from '../../support/registered';

const { at, browser, freshEmail, accounts, endpoints, provider, signInWithIdp } = attackTools();
const PATIENTLY = { timeout: 60_000, interval: 1_000 };
const SECURED = 'We secured your Campus account';
const NEW_SIGN_IN = 'New sign-in to Campus';

const call = (by: CookieJar, path: string, body: object = {}) => by.post(at(`/api/${path}`), body);
const readSubjects = async (email: string) => (await readMailbox(endpoints, email)).map(({ subject }) => subject);
const open = (token: unknown, by = browser()) => call(by, 'create-user-session', { token });

describe('an account whose email someone with the password has deleted', () => {
  test('is restored without that password, which the provider does not list meanwhile', async () => {
    const laptop = browser();
    const owner = await registerOwner(endpoints, (path, body) => laptop.post(at(path), body));
    await nextSecond();
    const idToken = await accounts.idToken(owner);
    const deleted = await provider('accounts:update', { idToken, deleteAttribute: ['EMAIL'] });
    expect([deleted.status, deleted.body.email]).toEqual([200, undefined]);
    // The owner asks for help with the email that has no account now.
    await call(browser(), 'sign-in-help', { email: owner.email });
    await expect.poll(() => readSubjects(owner.email), PATIENTLY).toContain(SECURED);
    await expect.poll(() => accounts.exists(owner.email), PATIENTLY).toBe(true);
    expect(await accounts.fetchMethods(owner)).toEqual([]);
    expect((await provider('accounts:signInWithPassword', owner)).status).toBe(400);
    expect(await readSubjects(owner.email)).not.toContain(NEW_SIGN_IN);
  });
});

describe('identities with long ids that name the email of the account itself', () => {
  test('keep no one from signing in, and take no identity of the owner along', async () => {
    const user = await accounts.create({ email: freshEmail(`${'d'.repeat(60)}.${'d'.repeat(60)}.test`) });
    let idToken = await accounts.idToken(user);
    const long = ['facebook.com', 'github.com', 'microsoft.com', 'twitter.com'];
    for (const id of ['google.com', ...long]) {
      const sub = long.includes(id) ? `${id}${'s'.repeat(1_200)}` : String(Date.now()).padEnd(21, '1');
      const identity = { sub, email: user.email, email_verified: true };
      idToken = String((await signInWithIdp(id, identity, idToken)).body.idToken);
    }
    await nextSecond();
    const owner = browser();
    expect((await open(await accounts.idToken(user), owner)).status).toBe(200);
    expect((await call(owner, 'check-auth-status')).status).toBe(200);
    const methods = await accounts.fetchMethods(user);
    expect(methods).toEqual(expect.arrayContaining(['password', 'google.com']));
    expect(methods.length).toBeLessThan(2 + long.length);
    const told = 'We disconnected sign-in methods from your Campus account';
    await expect.poll(() => readSubjects(user.email), PATIENTLY).toContain(told);
  });
});

describe('an account that was made at the provider together with an identity of the intruder', () => {
  test('announces the second browser, though both came by a provider as the account was made', async () => {
    const email = freshEmail();
    const made = await provider('accounts:signUp', { email, password: 'mallory-pass-1', returnSecureToken: true });
    const mallory = { sub: randomUUID(), email: freshEmail('mallory.test'), email_verified: true };
    const intruder = await signInWithIdp('google.com', mallory, String(made.body.idToken));
    // The owner signs in. The identity provider alone decides about the other identity and its tokens.
    const own = await signInWithIdp('google.com', { sub: randomUUID(), email, email_verified: true });
    expect(own.body.localId).toBe(made.body.localId);
    expect((await open(own.body.idToken)).status).toBe(200);
    const opened = await open(intruder.body.idToken);
    if (opened.status === 200) await expect.poll(() => readSubjects(email), PATIENTLY).toContain(NEW_SIGN_IN);
  });
});
