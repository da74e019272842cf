// Threats: organization-by-email
import { expect, test } from 'vitest';
import { attackTools } from '../../support/attack';
import { linksIn } from '../../support/mail';

const { at, browser, freshEmail, mails, accounts, endpoints, provider, signInWithIdp } = attackTools();

/** Creates a user who has signed in by SSO only. */
async function employee() {
  const email = freshEmail('acme.test');
  const { idToken, localId } = (await signInWithIdp('saml.acme', { sub: email, email, email_verified: true })).body;
  expect((await browser().post(at('/api/create-user-session'), { token: idToken })).status).toBe(200);
  return { email, uid: String(localId) };
}

const DOORS: [string, (email: string) => [string, object]][] = [
  ['registering', (email) => ['/api/registration', { name: 'Erin Example', email, password: 'quiet-lantern-42' }]],
  ['a reset', (email) => ['/api/password-reset', { email }]],
  ['a sign-in link', (email) => ['/api/email-link', { email }]],
  ['sign-in help', (email) => ['/api/sign-in-help', { email }]],
];

test.each(DOORS)('%s emails no link or code that bypasses the organization', async (_what, door) => {
  const { email, uid } = await employee();
  const [path, body] = door(email);
  expect((await browser().post(at(path), body)).status).toBe(200);
  const [mail] = await mails(email);
  expect(mail?.text).toContain('Continue with SSO');
  for (const link of linksIn(mail ?? { text: '' })) expect(link).not.toMatch(/oobCode|\/actions|forget-password/);
  expect(await accounts.fetchMethods({ uid })).toEqual(['saml.acme']);
});

test.each([
  [
    'PASSWORD_RESET',
    '/api/actions/reset-password',
    (code: string) => ({ oobCode: code, password: 'quiet-lantern-42' }),
  ],
  ['EMAIL_SIGNIN', '/api/actions/sign-in', (code: string, email: string) => ({ code, email })],
])('a link sent by the identity provider itself (%s) is refused', async (requestType, path, toBody) => {
  const { email, uid } = await employee();
  await provider('accounts:sendOobCode', { requestType, email, continueUrl: endpoints.appOrigin });
  const list = await fetch(`http://${endpoints.emulatorHost}/emulator/v1/projects/${endpoints.projectId}/oobCodes`);
  const { oobCodes } = (await list.json()) as { oobCodes: { email: string; oobCode: string }[] };
  const code = oobCodes.filter((each) => each.email === email).at(-1)?.oobCode ?? '';
  expect(code).not.toBe('');
  const answer = await browser().post(at(path), toBody(code, email));
  expect(answer.status).toBe(410);
  expect(answer.cookies).toEqual({});
  expect(answer.body?.customToken).toBeUndefined();
  expect(await accounts.fetchMethods({ uid })).toEqual(['saml.acme']);
});
