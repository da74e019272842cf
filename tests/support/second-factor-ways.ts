import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, inject, test } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { createAccountsClient, idpResponse, tokenBy } from './accounts-client';
import { nextSecond, type Answer, type CookieJar } from './client';
import { codeIn, mailsTo } from './mail';
import type { SecondFactorApp } from './second-factor-app';
import { fetchIdToken, fetchOrganizationIdToken, idTokenByCustomToken } from './test-users';
import { createLinkCode } from './sign-in-link';

const emulator = { emulatorHost: process.env.FIREBASE_AUTH_EMULATOR_HOST ?? '', projectId: 'demo-campus' };
const accounts = createAccountsClient(emulator);
const NEW_PASSWORD = 'quiet-lantern-42';

/** Signs in by the first factor. @returns the response, which may open the session */
export type Way = (browser: CookieJar) => Promise<Answer>;

/** Creates every sign-in method of one factor for the test's user. */
export function createWays(app: SecondFactorApp) {
  const { call } = app;

  /**
   * Follows a method that our server verifies and whose response has a custom token, for an account without a second
   * factor.
   */
  async function follow(browser: CookieJar, answer: Answer): Promise<Answer> {
    const { customToken } = answer.body ?? {};
    return typeof customToken === 'string' ? app.open(browser, await idTokenByCustomToken(customToken)) : answer;
  }

  const WAYS: Record<string, Way> = {
    password: async (browser) => app.open(browser, await fetchIdToken(app.user)),
    'a social provider': async (browser) => {
      const { uid, email } = app.user;
      const google = { sub: uid, email, email_verified: true };
      return app.open(browser, await tokenBy(emulator, 'signInWithIdp', idpResponse('google.com', google)));
    },
    'an email link': async (browser) => {
      const { email } = app.user;
      const code = await createLinkCode(app.user);
      return follow(browser, await call(browser, 'actions/sign-in', { code, email }));
    },
    'an emailed code': async (browser) => {
      const { email } = app.user;
      await nextSecond();
      const { flow } = (await call(browser, 'email-link', { email })).body ?? {};
      const mails = await mailsTo({ mailboxUrl: inject('mailboxUrl') }, email, 1);
      const code = codeIn(mails.at(-1) ?? { text: '' });
      return follow(browser, await call(browser, 'email-link/confirm', { flow, code }));
    },
    'the code that confirms an email': async (browser) => {
      const token = await fetchIdToken(app.user);
      await accounts.setUnverified(app.user);
      expect((await call(browser, 'email-confirmation', { token })).status).toBe(200);
      const { email } = app.user;
      const mails = await mailsTo({ mailboxUrl: inject('mailboxUrl') }, email, 1);
      const mail = mails.find(({ text }) => codeIn({ text }) !== '') ?? { text: '' };
      return follow(browser, await call(browser, 'registration/confirm', { code: codeIn(mail) }));
    },
    'a password reset by code': async (browser) => {
      const { email } = app.user;
      await call(browser, 'password-reset', { email });
      const mails = await mailsTo({ mailboxUrl: inject('mailboxUrl') }, email, 1);
      const code = codeIn(mails.at(-1) ?? { text: '' });
      expect((await call(browser, 'password-reset/confirm', { code, password: NEW_PASSWORD })).status).toBe(200);
      return app.open(browser, await fetchIdToken({ email, password: NEW_PASSWORD }));
    },
    'a password reset by link': async (browser) => {
      const { email } = app.user;
      const link = await getIdentityAdmin().generatePasswordResetLink(email);
      const oobCode = new URL(link).searchParams.get('oobCode') ?? '';
      const answer = await call(browser, 'actions/reset-password', { oobCode, password: NEW_PASSWORD });
      expect(answer.status).toBe(200);
      return app.open(browser, await fetchIdToken({ email, password: NEW_PASSWORD }));
    },
    'an organization whose sign-in counts as one': (browser) => byOrganization(browser, 'saml.acme'),
  };

  /** Adds the test's account to an organization, with which it can then also sign in. */
  async function joinOrganization(provider: string, domain: string, emailVerified = true): Promise<void> {
    Object.assign(app.user, await accounts.create({ email: `${randomUUID()}@${domain}` }));
    const { uid, email } = app.user;
    await getIdentityAdmin().updateUser(uid, {
      emailVerified,
      providerToLink: { providerId: provider, uid: email, email },
    });
  }

  const byOrganization = async (browser: CookieJar, provider: string) =>
    app.open(browser, await fetchOrganizationIdToken(provider, app.user.email));

  return { ways: WAYS, joinOrganization, byOrganization };
}

type Cells = { kinds: ('totp' | 'recovery code')[]; isWithout?: boolean };

/** Tests sign-in methods of an account with some kinds of second factor, and of an account without. */
export function testFactorByMethod(app: SecondFactorApp, names: string[], { kinds, isWithout = false }: Cells): void {
  const { call, newBrowser, expectCode, enrol, show, assurance } = app;
  const { ways, joinOrganization } = createWays(app);
  describe.each(names)('%s', (name) => {
    const signIn = (browser: CookieJar) => (ways[name] ?? expect.unreachable(name))(browser);
    beforeEach(() => (name.startsWith('an organization') ? joinOrganization('saml.acme', 'acme.test') : undefined));

    if (isWithout) {
      test('opens a session of an account without a second factor', async () => {
        const browser = newBrowser('phone');
        expect(await signIn(browser)).toMatchObject({ status: 200 });
        expect(await assurance(browser)).toBe(1);
      });
    }

    test.each(kinds)('takes a %s where the account has a second factor', async (kind) => {
      const { codeAt, codes } = await enrol();
      await nextSecond();
      const browser = newBrowser('phone');
      const answer = await signIn(browser);
      expectCode(answer, 403, 'second-factor-required');
      expect(JSON.stringify(answer.body)).not.toMatch(/token/i);
      expect(Object.keys(browser.cookies)).not.toContain('_secure-user-session');
      expect(await app.check(browser)).toBe(401);
      // The browser has no session, so this call is refused, too.
      expect((await call(browser, 'auto-sign-in')).status).toBe(401);
      const code = kind === 'totp' ? { code: codeAt() } : { recoveryCode: codes[7] };
      expect(await show(browser, code)).toMatchObject({ status: 200 });
      expect(await assurance(browser)).toBe(2);
      await nextSecond();
      expect((await app.renew(browser)).status).toBe(200);
      expect(await assurance(browser)).toBe(2);
    });
  });
}
