// Threats: pre-hijacking
import { expect, test } from 'vitest';
import { PASSWORD } from '../../support/accounts-client';
import { attackTools } from '../../support/attack';
import { codeIn } from '../../support/mail';

const { at, browser, freshEmail, mails, accounts, provider, signInWithIdp } = attackTools();

const create = (token: unknown, by = browser()) => by.post(at('/api/create-user-session'), { token });
const signInAt = async (providerId: string, email: string, idToken?: string) => {
  const { body } = await signInWithIdp(providerId, { sub: email, email, email_verified: true }, idToken);
  return { idToken: String(body.idToken), uid: String(body.localId) };
};
const signIn = (email: string) =>
  provider('accounts:signInWithPassword', { email, password: PASSWORD, returnSecureToken: true });

/**
 * Creates an account as a registration of an earlier release has left it, whose code did not come back.
 * @returns its id, and a token from its password
 */
async function leaveRegistration(email: string) {
  const user = await accounts.create({ email, emailVerified: false });
  await accounts.markUnproved(user);
  return { uid: user.uid, idToken: await accounts.idToken(user) };
}

/** Leaves a registration of another person's email and connects a provider's account with an email of the attacker. */
async function plant(victims: string, providerId: string) {
  const own = freshEmail('mallory.test');
  const { uid, idToken } = await leaveRegistration(victims);
  expect((await signInAt(providerId, own, idToken)).uid).toBe(uid);
  return { uid, enter: () => signInAt(providerId, own) };
}

/** Enters the code that a refused sign-in requires. @returns an ID token of the next sign-in */
async function enterCode(email: string, token: string, by = browser()) {
  expect((await by.post(at('/api/email-confirmation'), { token })).status).toBe(200);
  const code = codeIn((await mails(email)).at(-1) ?? { text: '' });
  const confirmed = await by.post(at('/api/registration/confirm'), { code });
  expect(confirmed.status).toBe(200);
  const exchange = { token: confirmed.body?.customToken, returnSecureToken: true };
  return (await provider('accounts:signInWithCustomToken', exchange)).body.idToken;
}

const refused = { status: 403, body: { code: 'email-not-verified' }, cookies: {} };

test.each([
  ['github.com', 'google.com'],
  ['facebook.com', 'microsoft.com'],
  ['google.com', 'apple.com'],
])('who registered an email and linked %s is out when its owner has come by %s', async (planted, owners) => {
  const victims = freshEmail();
  const { uid, enter } = await plant(victims, planted);
  expect(await create((await enter()).idToken)).toMatchObject(refused);

  const owner = browser();
  const { idToken, uid: joined } = await signInAt(owners, victims);
  expect(joined).toBe(uid);
  // The identity provider now considers the email verified.
  expect(await accounts.isVerified(victims)).toBe(true);
  expect(await create(idToken, owner)).toMatchObject(refused);
  const intruder = await enter();
  expect(intruder.uid).toBe(uid);
  expect(await create(intruder.idToken)).toMatchObject(refused);

  expect((await create(await enterCode(victims, idToken, owner), owner)).status).toBe(200);
  expect(await accounts.fetchMethods({ uid })).toEqual([owners]);
  expect((await owner.post(at('/api/check-auth-status'))).body).toMatchObject({ uid, email: victims });
  expect((await create((await signInAt(owners, victims)).idToken)).status).toBe(200);
  expect((await create(intruder.idToken)).status).toBe(401);
  expect((await enter()).uid).not.toBe(uid);
  expect((await signIn(victims)).status).toBe(400);
});

test('nor does who linked a provider first of all get a session once the owner has come', async () => {
  const victims = freshEmail();
  const { enter } = await plant(victims, 'github.com');
  await signInAt('google.com', victims);
  // The owner left at the step that asks for the code.
  for (let tries = 0; tries < 2; tries += 1) expect(await create((await enter()).idToken)).toMatchObject(refused);
  expect(await create((await signInAt('google.com', victims)).idToken)).toMatchObject(refused);
});

test("nor who puts an own identity of the owner's provider in its place while the owner reads the email", async () => {
  const victims = freshEmail();
  const { uid, enter } = await plant(victims, 'github.com');
  const owner = browser();
  const { idToken } = await signInAt('google.com', victims);
  expect(await create(idToken, owner)).toMatchObject(refused);
  expect((await owner.post(at('/api/email-confirmation'), { token: idToken })).status).toBe(200);

  const intruder = await enter();
  const removal = { idToken: intruder.idToken, deleteProvider: ['google.com'], returnSecureToken: true };
  expect((await provider('accounts:update', removal)).status).toBe(200);
  const planted = freshEmail('mallory.test');
  const joined = await signInAt('google.com', planted, (await enter()).idToken);
  expect(joined.uid).toBe(uid);

  const code = codeIn((await mails(victims)).at(-1) ?? { text: '' });
  const confirmed = await owner.post(at('/api/registration/confirm'), { code });
  expect(confirmed.status).toBe(200);
  const exchange = { token: confirmed.body?.customToken, returnSecureToken: true };
  const { idToken: proved } = (await provider('accounts:signInWithCustomToken', exchange)).body;
  expect((await create(proved, owner)).status).toBe(200);
  expect(await accounts.fetchMethods({ uid })).toEqual([]);
  expect((await signInAt('google.com', planted)).uid).not.toBe(uid);
  const again = await signInAt('google.com', victims);
  expect(again.uid).toBe(uid);
  expect((await create(again.idToken)).status).toBe(200);
});

test('an email link or a reset of such an account sets a new password, and removes the rest', async () => {
  const [byLink, byReset] = [freshEmail(), freshEmail()];
  const [linked, reset] = [await plant(byLink, 'github.com'), await plant(byReset, 'github.com')];
  for (const email of [byLink, byReset]) await signInAt('google.com', email);

  const owner = browser();
  await owner.post(at('/api/email-link'), { email: byLink });
  const mail = (await mails(byLink)).at(-1)?.text ?? '';
  const link = new URL(/https?:\S+/.exec(mail)?.[0] ?? 'http://none');
  expect(link.searchParams.get('mode')).toBe('verifyEmail');
  const verify = (values: object) =>
    owner.post(at('/api/actions/verify-email'), { code: link.searchParams.get('oobCode'), ...values });
  expect((await verify({})).body?.code).toBe('new-password-required');
  expect((await verify({ password: 'other-lantern-43' })).status).toBe(200);
  expect(await accounts.fetchMethods(linked)).toEqual(['password']);

  await owner.post(at('/api/password-reset'), { email: byReset });
  const code = codeIn((await mails(byReset)).at(-1) ?? { text: '' });
  expect((await owner.post(at('/api/password-reset/confirm'), { code, password: 'other-lantern-43' })).status).toBe(
    200,
  );
  expect(await accounts.fetchMethods(reset)).toEqual(['password']);
});

test('an organization that signs in its own address needs no code, and removes what was linked', async () => {
  const victims = freshEmail('acme.test');
  const { uid, enter } = await plant(victims, 'github.com');
  const { idToken, uid: joined } = await signInAt('saml.acme', victims);
  expect(joined).toBe(uid);
  expect((await create(idToken)).status).toBe(200);
  expect(await accounts.fetchMethods({ uid })).toEqual(['saml.acme']);
  expect((await enter()).uid).not.toBe(uid);
});

test('a learner who registered at an earlier release and continues with Google enters a code, once', async () => {
  const email = freshEmail();
  const learner = browser();
  const { uid } = await leaveRegistration(email);
  const { idToken } = await signInAt('google.com', email);
  expect(await create(idToken, learner)).toMatchObject(refused);
  expect((await create(await enterCode(email, idToken, learner), learner)).status).toBe(200);
  expect(await accounts.fetchMethods({ uid })).toEqual(['google.com']);
  expect(JSON.parse(String((await accounts.fetchRecord({ uid })).customAttributes))).toEqual({ proved_address: email });
  expect((await create((await signInAt('google.com', email)).idToken)).status).toBe(200);
});

test('who registers an email of another gets no account, and its owner needs no code with Google', async () => {
  const email = freshEmail();
  const values = { name: 'Mia Moreau', email, password: PASSWORD };
  expect((await browser().post(at('/api/registration'), values)).status).toBe(200);
  await mails(email);
  expect((await signIn(email)).status).toBe(400);
  expect((await create((await signInAt('google.com', email)).idToken)).status).toBe(200);
  expect((await signIn(email)).status).toBe(400);
});

test('an account that Google has created needs none', async () => {
  const { idToken } = await signInAt('google.com', freshEmail());
  expect((await create(idToken)).status).toBe(200);
});
