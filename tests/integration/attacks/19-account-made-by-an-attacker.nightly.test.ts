import { expect, test } from 'vitest';
import { attackTools } from '../../support/attack';
import { codeIn, linksIn } from '../../support/mail';

const { at, browser, freshEmail, mails, accounts, endpoints, provider, signInWithIdp } = attackTools();
const OWN = 'quiet-lantern-42';
const ATTACKERS = 'attacker-pass-1';

const create = (token: unknown, by = browser()) => by.post(at('/api/create-user-session'), { token });
const signUp = async (email: string) =>
  (await provider('accounts:signUp', { email, password: ATTACKERS, returnSecureToken: true })).body;

/** Returns the newest code that the identity provider issued for an email. */
async function providerCode(email: string): Promise<string> {
  const list = await fetch(`http://${endpoints.emulatorHost}/emulator/v1/projects/${endpoints.projectId}/oobCodes`);
  const { oobCodes } = (await list.json()) as { oobCodes: { email: string; oobCode: string }[] };
  return oobCodes.filter((code) => code.email === email).at(-1)?.oobCode ?? '';
}

test('"sign out everywhere" ends sessions of the same second', async () => {
  const user = await accounts.create();
  const [owner, thief] = [browser(), browser()];
  await create(await accounts.idToken(user), owner);
  await create(await accounts.idToken(user), thief);
  expect((await owner.post(at('/api/account/sign-out-everywhere'))).status).toBe(200);
  expect((await thief.post(at('/api/check-auth-status'))).status).toBe(401);
});

test('an attacker who signs in during a reset has no access afterwards', async () => {
  const email = freshEmail();
  const tokens = [(await signUp(email)).idToken];
  const owner = browser();
  await owner.post(at('/api/password-reset'), { email });
  const code = codeIn((await mails(email)).at(-1) ?? { text: '' });
  let over = false;
  const polling = (async () => {
    while (!over) {
      const { status, body } = await provider('accounts:signInWithPassword', {
        email,
        password: ATTACKERS,
        returnSecureToken: true,
      });
      if (status !== 200) return;
      tokens.push(body.idToken);
    }
  })();
  expect((await owner.post(at('/api/password-reset/confirm'), { code, password: OWN })).status).toBe(200);
  over = true;
  await polling;
  expect(tokens.length).toBeGreaterThan(1);
  for (const idToken of tokens.slice(-3)) {
    expect((await create(idToken)).cookies).toEqual({});
    expect((await provider('accounts:update', { idToken, password: 'taken-again-1' })).status).toBe(400);
  }
});

test("a partner's identity on an unverified account does not lock its owner out", async () => {
  for (const partner of ['oidc.acme', 'oidc.closed', 'oidc.deleted']) {
    const email = freshEmail();
    await signInWithIdp(partner, { sub: `mallory-${email}`, email, email_verified: false });
    const owner = browser();
    await owner.post(at('/api/password-reset'), { email });
    const code = codeIn((await mails(email)).at(-1) ?? { text: '' });
    expect((await owner.post(at('/api/password-reset/confirm'), { code, password: OWN })).status).toBe(200);
    await accounts.idToken({ email, password: OWN });
  }
});

test("an employee's account gets no password through an email of the identity provider", async () => {
  const email = freshEmail('acme.test');
  const { idToken } = (await signInWithIdp('saml.acme', { sub: email, email, email_verified: true })).body;
  await create(idToken);
  const away = (await provider('accounts:update', { idToken, email: freshEmail(), returnSecureToken: true })).body;
  const back = (await provider('accounts:update', { idToken: away.idToken, email, returnSecureToken: true })).body;
  await provider('accounts:sendOobCode', { requestType: 'VERIFY_EMAIL', idToken: back.idToken });
  const code = await providerCode(email);
  expect(code).not.toBe('');
  const answer = await browser().post(at('/api/actions/verify-email'), { code, password: OWN });
  expect([answer.status, answer.body?.code]).toEqual([410, 'action-code-invalid']);
});

test('refused sign-ins do not use the budget of the owner', async () => {
  const email = freshEmail();
  const { idToken } = await signUp(email);
  for (let count = 0; count < 61; count += 1) expect((await create(idToken)).status).toBe(403);
  const owner = browser();
  await owner.post(at('/api/password-reset'), { email });
  const code = codeIn((await mails(email)).at(-1) ?? { text: '' });
  await owner.post(at('/api/password-reset/confirm'), { code, password: OWN });
  expect((await create(await accounts.idToken({ email, password: OWN }))).status).toBe(200);
});

test('an old link does not report a password change', async () => {
  const email = freshEmail();
  const owner = browser();
  await owner.post(at('/api/registration'), { name: 'Mia Moreau', email, password: OWN });
  const mail = (await mails(email)).at(-1) ?? { text: '' };
  await owner.post(at('/api/registration/confirm'), { code: codeIn(mail) });
  const link = new URL(linksIn(mail)[0] ?? '').searchParams.get('oobCode');
  const answer = await browser().post(at('/api/actions/verify-email'), { code: link, password: 'other-lantern-43' });
  expect([answer.status, answer.body?.code]).toEqual([410, 'action-code-invalid']);
});

test('a code of another kind gets 400, not 503', async () => {
  const code = await accounts.signInCode(await accounts.create());
  const verify = await browser().post(at('/api/actions/verify-email'), { code });
  const reset = await browser().post(at('/api/actions/reset-password'), { oobCode: code, password: OWN });
  expect([verify.status, reset.status]).toEqual([410, 410]);
});
