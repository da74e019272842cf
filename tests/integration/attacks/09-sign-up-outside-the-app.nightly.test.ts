// Threats: sign-up-past-app
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PASSWORD } from '../../support/accounts-client';
import { attackTools } from '../../support/attack';
import { installBlockingFunctions } from '../../support/blocking-function';
import { codeIn } from '../../support/mail';
import { startStack, type Stack } from '../../../scripts/lib/stack.mjs';

// The functions apply to a whole emulator, so these tests use a separate emulator.
let stack: Stack;
let attack: ReturnType<typeof attackTools>;
let removeFunctions: () => Promise<void>;
beforeAll(async () => {
  stack = await startStack({ name: 'attack-09' });
  attack = attackTools(stack.endpoints);
  removeFunctions = await installBlockingFunctions(stack.endpoints, '{}');
});
afterAll(async () => {
  await removeFunctions();
  await stack.stop();
});

const signUp = (body: object) => attack.provider('accounts:signUp', { password: PASSWORD, ...body });
const getMessage = ({ body }: { body: Record<string, unknown> }) => (body.error as { message: string }).message;

/** Returns the codes that the emulator would have sent, in links or in text messages. */
async function latest(kind: 'oobCodes' | 'verificationCodes'): Promise<Record<string, string>> {
  const { emulatorHost, projectId } = stack.endpoints;
  const response = await fetch(`http://${emulatorHost}/emulator/v1/projects/${projectId}/${kind}`);
  const all = (await response.json()) as Record<string, Record<string, string>[]>;
  return all[kind]?.at(-1) ?? {};
}

describe('outside the app, an attacker gets no account', () => {
  test('with a password', async () => {
    const email = attack.freshEmail();
    const answer = await signUp({ email });
    expect([answer.status, getMessage(answer)]).toEqual([400, expect.stringContaining('PERMISSION_DENIED')]);
    expect(await attack.accounts.exists(email)).toBe(false);
  });

  test('by email link', async () => {
    const email = attack.freshEmail();
    const ask = {
      requestType: 'EMAIL_SIGNIN',
      email,
      canHandleCodeInApp: true,
      continueUrl: stack.endpoints.appOrigin,
    };
    expect((await attack.provider('accounts:sendOobCode', ask)).status).toBe(200);
    const { oobCode } = await latest('oobCodes');
    const answer = await attack.provider('accounts:signInWithEmailLink', { email, oobCode });
    expect([answer.status, getMessage(answer)]).toEqual([400, expect.stringContaining('PERMISSION_DENIED')]);
    expect(await attack.accounts.exists(email)).toBe(false);
  });

  test('by telephone', async () => {
    const ask = { phoneNumber: '+491701234567', recaptchaToken: 'x' };
    expect((await attack.provider('accounts:sendVerificationCode', ask)).status).toBe(200);
    const { sessionInfo, code } = await latest('verificationCodes');
    const answer = await attack.provider('accounts:signInWithPhoneNumber', { sessionInfo, code });
    expect([answer.status, getMessage(answer)]).toEqual([400, expect.stringContaining('PERMISSION_DENIED')]);
  });
});

describe('in the app, users get an account', () => {
  test('by registration', async () => {
    const email = attack.freshEmail();
    const by = attack.browser();
    const values = { name: 'Mia Moreau', email, password: PASSWORD };
    expect((await by.post(attack.at('/api/registration'), values)).status).toBe(200);
    const [mail] = await attack.mails(email);
    const confirmed = await by.post(attack.at('/api/registration/confirm'), { code: codeIn(mail ?? { text: '' }) });
    expect(confirmed.status).toBe(200);
    const token = await attack.accounts.idToken({ email, password: PASSWORD });
    expect((await by.post(attack.at('/api/create-user-session'), { token })).status).toBe(200);
  });

  test.each(['google.com', 'oidc.linkedin'])('by the first sign-in with %s', async (providerId) => {
    const email = attack.freshEmail();
    const answer = await attack.signInWithIdp(providerId, { sub: email, email, email_verified: true });
    expect(answer.status).toBe(200);
    const session = await attack.browser().post(attack.at('/api/create-user-session'), { token: answer.body.idToken });
    expect(session.status).toBe(200);
  });
});

// If one of these tests fails, the limitation no longer exists, and docs/adr/0020 must say so.
describe('known limits', () => {
  test('the emulator compares addresses before it asks the function', async () => {
    const { email } = await attack.accounts.create();
    expect(getMessage(await signUp({ email }))).toBe('EMAIL_EXISTS');
  });

  test('the function is not asked when an account gets another address', async () => {
    const { email: taken } = await attack.accounts.create();
    for (const method of ['accounts:update', 'accounts:signUp']) {
      // These are separate accounts, because a changed password ends the ID tokens of earlier seconds.
      const email = attack.freshEmail();
      const own = await attack.signInWithIdp('google.com', { sub: email, email, email_verified: true });
      const free = attack.freshEmail();
      const body = { idToken: own.body.idToken, password: PASSWORD };
      expect(getMessage(await attack.provider(method, { ...body, email: taken }))).toBe('EMAIL_EXISTS');
      expect((await attack.provider(method, { ...body, email: free })).status).toBe(200);
      expect(await attack.accounts.exists(free)).toBe(true);
    }
  });
});
