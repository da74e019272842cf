// Threats: foreign-confirmation
import { expect, test } from 'vitest';
import { attackTools } from '../../support/attack';
import { linksIn, type Mail } from '../../support/mail';

const { at, browser, freshEmail, mails, accounts, endpoints, provider } = attackTools();
const OWN = 'quiet-lantern-42';
const ATTACKERS = 'attacker-pass-1';

/** Returns the code of the email's `/actions` link. */
const linkCode = (mail: Mail | undefined) =>
  linksIn(mail ?? { text: '' }).map((link) => new URL(link).searchParams.get('oobCode'))[0] ?? '';
const verify = (code: string, by = browser(), password?: string) =>
  by.post(at('/api/actions/verify-email'), { code, ...(password !== undefined && { password }) });
const canSignIn = async (email: string, password: string) =>
  (await provider('accounts:signInWithPassword', { email, password, returnSecureToken: true })).status === 200;

async function register(email: string, password: string, by = browser()) {
  expect((await by.post(at('/api/registration'), { name: 'Mia Moreau', email, password })).status).toBe(200);
  return by;
}

test("registering the victim's email again does not make her link confirm the attacker's account", async () => {
  const email = freshEmail();
  const victim = await register(email, OWN);
  const [first] = await mails(email);
  await register(email, ATTACKERS);
  const [, second] = await mails(email, 2);

  // She opens the attacker's link in her browser, but her token belongs to her own registration.
  expect((await verify(linkCode(second), victim)).body).toMatchObject({ code: 'new-password-required', status: 403 });
  expect((await verify(linkCode(first), victim)).status).toBe(200);
  expect(await canSignIn(email, ATTACKERS)).toBe(false);
  expect(await canSignIn(email, OWN)).toBe(true);
  // Now the attacker's link sets no password either.
  expect((await verify(linkCode(second), browser(), 'another-lantern-43')).status).toBe(410);
  expect(await canSignIn(email, OWN)).toBe(true);
});

test('the link confirms without a click in the browser that registered', async () => {
  const email = freshEmail();
  const learner = await register(email, OWN);
  expect((await verify(linkCode((await mails(email))[0]), learner)).status).toBe(200);
  expect(await canSignIn(email, OWN)).toBe(true);
});

test('a token of another registration of the same account does not count as the same browser', async () => {
  const user = await accounts.create({ emailVerified: false });
  const token = await accounts.idToken(user);
  const [victim, attacker] = [browser(), browser()];
  await victim.post(at('/api/email-confirmation'), { token });
  await attacker.post(at('/api/email-confirmation'), { token });
  const [, second] = await mails(user.email, 2);
  expect((await verify(linkCode(second), victim)).body?.code).toBe('new-password-required');
});

test('a sign-in link requested by the owner does not confirm an attacker’s password', async () => {
  const email = freshEmail();
  await provider('accounts:signUp', { email, password: ATTACKERS, returnSecureToken: true });
  const owner = browser();
  await owner.post(at('/api/email-link'), { email });
  const [mail] = await mails(email);
  expect(mail?.text).not.toMatch(/\b[0-9A-Z]{6}\b\n/);
  expect((await verify(linkCode(mail), owner)).body?.code).toBe('new-password-required');
  expect((await verify(linkCode(mail), owner, OWN)).status).toBe(200);
  expect(await canSignIn(email, ATTACKERS)).toBe(false);
});

/**
 * Returns the newest code that the identity provider issued for an email without the app. In production, the provider
 * emails it.
 */
async function providerCode(email: string, requestType: string): Promise<string> {
  const address = `http://${endpoints.emulatorHost}/emulator/v1/projects/${endpoints.projectId}/oobCodes`;
  const { oobCodes } = (await (await fetch(address)).json()) as {
    oobCodes: { email: string; requestType: string; oobCode: string }[];
  };
  return oobCodes.filter((code) => code.email === email && code.requestType === requestType).at(-1)?.oobCode ?? '';
}

test('an email that an attacker triggers at the identity provider verifies no email', async () => {
  const email = freshEmail();
  const { idToken } = (await provider('accounts:signUp', { email, password: ATTACKERS, returnSecureToken: true })).body;
  await provider('accounts:sendOobCode', { requestType: 'VERIFY_EMAIL', idToken });
  const code = await providerCode(email, 'VERIFY_EMAIL');
  expect((await verify(code)).body?.code).toBe('new-password-required');
  expect((await verify(code, browser(), OWN)).status).toBe(200);
  expect(await canSignIn(email, ATTACKERS)).toBe(false);
});

test('a sign-in link that an attacker triggers at the identity provider is refused, and verifies nothing', async () => {
  const email = freshEmail();
  await provider('accounts:signUp', { email, password: ATTACKERS, returnSecureToken: true });
  await provider('accounts:sendOobCode', { requestType: 'EMAIL_SIGNIN', email, continueUrl: endpoints.appOrigin });
  const code = await providerCode(email, 'EMAIL_SIGNIN');
  const answer = await browser().post(at('/api/actions/sign-in'), { code, email });
  expect([answer.status, answer.body?.code]).toEqual([410, 'action-code-invalid']);
  expect(await accounts.isVerified(email)).toBe(false);
});
