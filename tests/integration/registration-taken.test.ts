// Threats: enumeration
import { describe, expect, test } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { CookieJar, maskFlow } from '../support/client';
import { fetchIdToken, createTestUser } from '../support/test-users';
import { Registration } from '../support/registration';
import { startRoutesProcess } from '../support/served-routes';

const registration = new Registration();
const fetchAccount = (address: string) => getIdentityAdmin().getUserByEmail(address);

describe('an email that has an account', () => {
  test('gets the same response, and its owner a sign-in hint', async () => {
    const owner = await createTestUser();
    const free = await registration.register();
    const taken = await registration.register({ email: owner.email }, new CookieJar());
    const seen = ({ status, headers, body, cookies }: typeof free, address: string) => ({
      status,
      body,
      headers: [...headers.entries()].filter(([name]) => !['date', 'set-cookie', 'x-request-id'].includes(name)),
      cookies: Object.values(cookies).map((cookie) => ({
        ...cookie,
        value: ['device', 'email-confirmation-token'].some((name) => cookie.name.startsWith(name))
          ? cookie.value?.length
          : cookie.value?.replace(address, ''),
      })),
    });
    expect(seen(maskFlow(taken), owner.email)).toEqual(seen(maskFlow(free), registration.email));
    const [mail] = await registration.mails(1, owner.email);
    expect(mail?.subject).toBe('You already have a Campus account');
  });

  test('cannot be taken over with any code', async () => {
    const owner = await createTestUser();
    await registration.register({ email: owner.email });
    expect((await registration.confirm('ABCDEF')).body).toMatchObject({ code: 'code-wrong', triesLeft: 4 });
    expect(await fetchIdToken(owner)).toEqual(expect.any(String));
  });

  test('is reported if REVEAL_EXISTING_ACCOUNTS is set', async () => {
    const friendly = await startRoutesProcess({ REVEAL_EXISTING_ACCOUNTS: 'true' });
    const owner = await createTestUser();
    const values = { ...registration.values(), email: owner.email };
    const answer = await registration.jar.post(`${friendly.origin}/api/registration`, values);
    await friendly.stop();
    expect(answer.body).toMatchObject({ code: 'email-taken', status: 409 });
    expect(Object.keys(answer.cookies)).toEqual(['device']);
  });

  test('that was never verified can be registered again, which invalidates earlier codes', async () => {
    await registration.register();
    const first = await registration.lastCode();
    const before = await fetchAccount(registration.email);
    const second = new CookieJar();
    await registration.register({ password: 'another-lantern-7' }, second);
    // The account is replaced behind the response.
    const code = await registration.lastCode(2);
    await expect.poll(async () => (await fetchAccount(registration.email)).uid).not.toBe(before.uid);
    // The first registrant must not verify an account that has the second one's password.
    expect((await registration.confirm(first)).body).toMatchObject({ code: 'code-expired' });
    expect((await registration.confirm(code, second)).status).toBe(200);
    expect(await fetchIdToken({ email: registration.email, password: 'another-lantern-7' })).toEqual(
      expect.any(String),
    );
  });

  test('that an operator created is not taken over', async () => {
    const user = await createTestUser({ emailVerified: false });
    await getIdentityAdmin().setCustomUserClaims(user.uid, { legacy: true });
    await registration.register({ email: user.email });
    expect((await fetchAccount(user.email)).uid).toBe(user.uid);
  });
});
