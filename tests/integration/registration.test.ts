// ASVS: 6.2.4, 6.2.11, 6.2.12
// Threats: csrf
import { describe, expect, test } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { PROVED_ADDRESS_CLAIM } from '@/lib/server/policy/account';
import { LIMITS } from '@/lib/server/storage/rate-limits/table';
import { linksIn } from '../support/mail';
import { idTokenByCustomToken } from '../support/test-users';
import { Registration } from '../support/registration';
import { startRoutesProcess } from '../support/served-routes';

const registration = new Registration();
const fetchAccount = (address: string) => getIdentityAdmin().getUserByEmail(address);

describe('registration', () => {
  test('creates the account when the code from the email confirms it, and nothing before', async () => {
    const answer = await registration.register({ email: ` ${registration.email.toUpperCase()} ` });
    expect([answer.status, answer.body]).toEqual([
      200,
      { resendAfter: 30, flow: expect.stringMatching(/^[\w-]{12}$/) as string },
    ]);
    expect(answer.cookies['email-confirmation-token']).toMatchObject({ httpOnly: true, secure: true, maxAge: 900 });
    expect(answer.cookies['auth-email-confirmation']).toMatchObject({ value: registration.email });
    expect(answer.cookies['sign-in-email']).toMatchObject({ value: registration.email });
    expect(answer.cookies[`new-account-${String(answer.body?.flow)}`]).toMatchObject({ httpOnly: true, maxAge: 900 });
    const code = await registration.lastCode();
    await expect(fetchAccount(registration.email)).rejects.toMatchObject({ code: 'auth/user-not-found' });

    const confirmed = await registration.confirm(code.toLowerCase());
    expect(confirmed.status).toBe(200);
    const customClaims = { [PROVED_ADDRESS_CLAIM]: registration.email };
    const account = { displayName: 'Mia Moreau', emailVerified: true, customClaims };
    expect(await fetchAccount(registration.email)).toMatchObject(account);
    expect(Object.keys(registration.jar.cookies).filter((name) => name.startsWith('new-account-'))).toEqual([]);
    const token = await idTokenByCustomToken(String(confirmed.body?.customToken));
    expect((await registration.jar.post(`${registration.app.origin}/api/create-user-session`, { token })).status).toBe(
      200,
    );
  });

  test('sends the code and the link by email, and nothing else', async () => {
    await registration.register();
    const [mail] = await registration.mails();
    expect(mail?.from[0]).toEqual({ address: 'no-reply@campus.test', name: 'Campus' });
    expect(mail?.headers['auto-submitted']).toBe('auto-generated');
    expect(mail?.text).toContain('support@campus.test');
    // The inbox is not verified: another person than its owner may have chosen the name.
    expect(mail?.html).not.toContain('Mia');
    expect(mail?.html).not.toMatch(/<(img|script|link)\b/);
    const link = new URL(linksIn(mail ?? { text: '' })[0] ?? '');
    expect([link.origin, link.pathname]).toEqual([registration.app.origin, '/actions']);
    expect(link.searchParams.get('mode')).toBe('verifyEmail');
  });

  test.each([
    ['a short name', { name: 'Mi' }],
    ['a long name', { name: 'M'.repeat(29) }],
    ['a name that advertises', { name: 'https://buy.test' }],
    ['a name with a domain', { name: 'evil.com/x1' }],
    ['a broken address', { email: 'mia@' }],
    ['two addresses', { email: 'a@campus.test,b@campus.test' }],
    ['a short password', { password: 'short-1' }],
    ['no password', { password: undefined }],
  ])('refuses %s', async (_what, values) => {
    expect((await registration.register(values)).body).toMatchObject({ code: 'bad-request' });
  });

  test.each([
    ['password-common', 'password1'],
    ['password-personal', 'Campus-12'],
  ])('refuses an easy password: %s', async (code, password) => {
    expect((await registration.register({ password })).body).toMatchObject({ code, status: 400 });
  });

  test('refuses a password derived from the email', async () => {
    const answer = await registration.register({ email: 'amelie.wong@campus.test', password: 'Amelie.Wong1' });
    expect(answer.body).toMatchObject({ code: 'password-personal' });
  });

  test('refuses passwords without using up the emails of the mailbox', async () => {
    for (let call = 0; call < LIMITS['email-to-address'].points + 1; call += 1)
      expect((await registration.register({ password: 'password1' })).status).toBe(400);
    expect((await registration.register()).status).toBe(200);
  });

  test('accepts requests of our own pages only', async () => {
    const address = `${registration.app.origin}/api/registration`;
    const foreign = await fetch(address, { method: 'POST', headers: { origin: 'https://evil.test' } });
    expect(foreign.status).toBe(403);
    const platform = await fetch(address, { method: 'OPTIONS', headers: { origin: 'http://localhost:3001' } });
    expect(platform.headers.get('access-control-allow-origin')).toBeNull();
  });
});

test('without a mail server creates no account', async () => {
  const unreachable = await startRoutesProcess({ SMTP_URL: 'smtp://127.0.0.1:9' });
  const values = registration.values();
  const answer = await registration.jar.post(`${unreachable.origin}/api/registration`, values);
  expect(answer.body).toMatchObject({ code: 'mail-unavailable', status: 503 });
  expect(answer.cookies).toEqual({});
  await expect(fetchAccount(registration.email)).rejects.toMatchObject({ code: 'auth/user-not-found' });
  await unreachable.stop();
});
