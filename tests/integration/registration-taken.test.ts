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
        value: ['device', 'email-confirmation-token', 'new-account'].some((name) => cookie.name.startsWith(name))
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

  test('can be registered in two browsers, and the first code that comes back decides', async () => {
    await registration.register();
    const first = await registration.lastCode();
    const second = new CookieJar();
    await registration.register({ password: 'another-lantern-7' }, second);
    const code = await registration.lastCode(2);
    expect((await registration.confirm(code, second)).status).toBe(200);
    // The first browser has a code of the mailbox, so it may know. It must not get the second one's account.
    expect((await registration.confirm(first)).body).toMatchObject({ code: 'email-taken', status: 409 });
    expect(await fetchIdToken({ email: registration.email, password: 'another-lantern-7' })).toEqual(
      expect.any(String),
    );
  });

  test('keeps its id and claims if an operator created it unverified, and gets the name and password', async () => {
    const user = await createTestUser({ emailVerified: false });
    await getIdentityAdmin().setCustomUserClaims(user.uid, { accessLevel: 'teacher' });
    await registration.register({ email: user.email });
    expect(await fetchIdToken(user)).toEqual(expect.any(String));
    registration.email = user.email;
    expect((await registration.confirm(await registration.lastCode())).status).toBe(200);
    const { password } = registration.values();
    expect(await fetchAccount(user.email)).toMatchObject({
      uid: user.uid,
      displayName: 'Mia Moreau',
      emailVerified: true,
      customClaims: { accessLevel: 'teacher' },
    });
    await expect(fetchIdToken(user)).rejects.toThrow();
    expect(await fetchIdToken({ email: user.email, password })).toEqual(expect.any(String));
  });
});
