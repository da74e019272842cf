// Threats: pre-hijacking, unproved-rename
import { expect, test } from 'vitest';
import { attackTools } from '../../support/attack';
import { codeIn } from '../../support/mail';
import type { CookieJar } from '../../support/client';

const { at, browser, freshEmail, mails, accounts, provider, signInWithIdp } = attackTools();
const OWN = 'quiet-lantern-42';
const ATTACKERS = 'attacker-pass-1';
/** Before the fix, the attacker won the swap twice in this many attempts. */
const TRIES = 20;

const create = (token: unknown, by = browser()) => by.post(at('/api/create-user-session'), { token });
const signUp = async (email: string) => {
  const { body } = await provider('accounts:signUp', { email, password: ATTACKERS, returnSecureToken: true });
  return { idToken: String(body.idToken), uid: String(body.localId) };
};
const update = (change: object) => provider('accounts:update', { returnSecureToken: true, ...change });
const signInAt = (providerId: string, email: string) =>
  signInWithIdp(providerId, { sub: email, email, email_verified: true });
const signIn = (email: string, password: string) =>
  provider('accounts:signInWithPassword', { email, password, returnSecureToken: true });
/** Signs in after the current second, in which a revocation may have happened. */
const signInLater = async (email: string, password: string) => {
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  return (await signIn(email, password)).body.idToken;
};

const newestCode = async (email: string, count = 1) => codeIn((await mails(email, count)).at(-1) ?? { text: '' });
const newestLink = async (email: string) =>
  new URL(/https?:\S+/.exec((await mails(email)).at(-1)?.text ?? '')?.[0] ?? 'http://none');

async function confirm(email: string, token: unknown, by: CookieJar, mailCount = 1) {
  expect((await by.post(at('/api/email-confirmation'), { token })).status).toBe(200);
  const code = await newestCode(email, mailCount);
  return () => by.post(at('/api/registration/confirm'), { code });
}

async function reset(email: string, by: CookieJar) {
  await by.post(at('/api/password-reset'), { email });
  const answer = await by.post(at('/api/password-reset/confirm'), { code: await newestCode(email), password: OWN });
  expect(answer.status).toBe(200);
}

/** The attacker restores the first email with the provider's own email to it, and sets a password there. */
async function takeBack(first: string): Promise<unknown> {
  await update({ oobCode: await accounts.readProviderCode(first, 'RECOVER_EMAIL') });
  await provider('accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email: first });
  const oobCode = await accounts.readProviderCode(first, 'PASSWORD_RESET');
  await provider('accounts:resetPassword', { oobCode, newPassword: ATTACKERS });
  return signInLater(first, ATTACKERS);
}

/** Creates an account that was proved for one email of the attacker and then given another email. */
async function moveProvedAccount(to: string): Promise<string> {
  const [first, second] = [freshEmail('mallory.test'), freshEmail('mallory.test')];
  const { idToken, uid } = await signUp(first);
  await update({ idToken, email: second });
  expect((await (await confirm(second, await signInLater(second, ATTACKERS), browser()))()).status).toBe(200);
  expect((await update({ idToken: await signInLater(second, ATTACKERS), email: to })).status).toBe(200);
  return uid;
}

test('an account renamed to an email that its owner then signs in with by Google needs a code first', async () => {
  const [own, victims] = [freshEmail('mallory.test'), freshEmail()];
  const { idToken, uid } = await signUp(own);
  await update({ idToken, email: victims });
  const owner = browser();
  const { body } = await signInAt('google.com', victims);
  expect(body.localId).toBe(uid);
  const first = await create(body.idToken, owner);
  expect([first.status, first.body?.code]).toEqual([403, 'email-not-verified']);
  expect((await (await confirm(victims, body.idToken, owner))()).status).toBe(200);
  expect(await accounts.fetchMethods({ uid })).toEqual(['google.com']);
  expect((await create((await signInAt('google.com', victims)).body.idToken, owner)).status).toBe(200);
  expect((await create(await takeBack(own))).status).toBe(401);
});

test('an account renamed to an email of an organization cannot be restored after its sign-in', async () => {
  const [own, victims] = [freshEmail('mallory.test'), freshEmail('acme.test')];
  const { idToken, uid } = await signUp(own);
  await update({ idToken, email: victims });
  const owner = browser();
  expect((await create((await signInAt('saml.acme', victims)).body.idToken, owner)).status).toBe(200);
  const answer = await create(await takeBack(own));
  expect([answer.status, answer.body?.code]).toEqual([401, 'token-revoked']);
  expect(await accounts.fetchRecord({ uid })).toMatchObject({ email: victims });
});

test('a sign-in link for a renamed account that the provider has verified sets a new password first', async () => {
  const [own, victims] = [freshEmail('mallory.test'), freshEmail()];
  const { idToken, uid } = await signUp(own);
  await update({ idToken, email: victims });
  await signInAt('google.com', victims);
  const owner = browser();
  await owner.post(at('/api/email-link'), { email: victims });
  const link = await newestLink(victims);
  const body = { code: link.searchParams.get('oobCode'), password: OWN };
  expect((await owner.post(at('/api/actions/verify-email'), body)).status).toBe(200);
  expect(await accounts.fetchMethods({ uid })).toEqual(['password']);
  expect((await create(await takeBack(own))).status).toBe(401);
});

test('an account moved to a free email does not keep its owner from registering', async () => {
  const victims = freshEmail();
  const uid = await moveProvedAccount(victims);
  const owner = browser();
  await owner.post(at('/api/registration'), { name: 'Mia Moreau', email: victims, password: OWN });
  const code = await newestCode(victims);
  expect((await owner.post(at('/api/registration/confirm'), { code })).status).toBe(200);
  expect((await create(await signInLater(victims, OWN), owner)).cookies['kk_uid']?.value).not.toBe(uid);
  expect((await accounts.fetchRecord({ uid })).email).not.toBe(victims);
});

test('an account moved to a free email is left by its owner’s Google at the first sign-in', async () => {
  const victims = freshEmail();
  const uid = await moveProvedAccount(victims);
  const joined = await signInAt('google.com', victims);
  expect(joined.body.localId).toBe(uid);
  const first = await create(joined.body.idToken);
  expect([first.status, first.body?.code]).toEqual([401, 'token-revoked']);
  const second = await signInAt('google.com', victims);
  expect(second.body.localId).not.toBe(uid);
  expect((await create(second.body.idToken)).status).toBe(200);
});

test('an account moved to a free email gets its proved one back from an account that never proved it', async () => {
  const victims = freshEmail();
  const uid = await moveProvedAccount(victims);
  const { customAttributes } = await accounts.fetchRecord({ uid });
  const { proved_address: proved } = JSON.parse(String(customAttributes)) as { proved_address: string };
  await signUp(proved);
  const owner = browser();
  await owner.post(at('/api/registration'), { name: 'Mia Moreau', email: victims, password: OWN });
  expect(await newestCode(victims)).not.toBe('');
  expect((await accounts.fetchRecord({ uid })).email).toBe(proved);
});

test('a code for another email of the attacker does not put a restored account back into service', async () => {
  const [first, second, victims] = [freshEmail('mallory.test'), freshEmail('mallory.test'), freshEmail()];
  const { idToken, uid } = await signUp(first);
  const mallory = browser();
  const { body } = await update({ idToken, email: second });
  const confirmSecond = await confirm(second, await signInLater(second, ATTACKERS), mallory);
  await update({ idToken: body.idToken, email: victims });

  await reset(victims, browser());
  await update({ oobCode: await accounts.readProviderCode(first, 'RECOVER_EMAIL') });
  await provider('accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email: first });
  const oobCode = await accounts.readProviderCode(first, 'PASSWORD_RESET');
  await provider('accounts:resetPassword', { oobCode, newPassword: ATTACKERS });
  expect((await update({ idToken: await signInLater(first, ATTACKERS), email: second })).status).toBe(200);

  const answer = await confirmSecond();
  expect([answer.status, answer.body?.code]).toEqual([410, 'code-expired']);
  expect(await accounts.fetchRecord({ uid })).toMatchObject({
    customAttributes: JSON.stringify({ proved_address: victims }),
  });
});

test('two accounts swapped while a reset link is used do not let the attacker in later', async () => {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const [victims, own, other] = [freshEmail(), freshEmail('mallory.test'), freshEmail('mallory.test')];
    const [present, spare] = [await signUp(victims), await signUp(own)];
    const owner = browser();
    await owner.post(at('/api/password-reset'), { email: victims });
    const oobCode = (await newestLink(victims)).searchParams.get('oobCode');
    const resetting = owner.post(at('/api/actions/reset-password'), { oobCode, password: OWN });
    await new Promise((resolve) => setTimeout(resolve, 6 + 0.5 * tries));
    const swap = [
      update({ idToken: present.idToken, email: other }),
      update({ idToken: spare.idToken, email: victims }),
    ];
    await Promise.all([resetting, ...swap]);
    const { email, emailVerified } = await accounts.fetchRecord(spare);
    if (email !== victims || emailVerified !== true) continue;
    expect((await create(await takeBack(own))).status).not.toBe(200);
  }
});

test('a reset link works once, at the provider too', async () => {
  const email = freshEmail();
  const { uid } = await signUp(email);
  const by = browser();
  await by.post(at('/api/password-reset'), { email });
  const oobCode = (await newestLink(email)).searchParams.get('oobCode');
  expect((await by.post(at('/api/actions/reset-password'), { oobCode, password: OWN })).status).toBe(200);
  expect((await by.post(at('/api/actions/reset-password'), { oobCode, password: ATTACKERS })).status).toBe(410);
  expect((await provider('accounts:resetPassword', { oobCode, newPassword: ATTACKERS })).status).toBe(400);
  expect((await create(await accounts.idToken({ email, password: OWN }))).cookies['kk_uid']?.value).toBe(uid);
});
