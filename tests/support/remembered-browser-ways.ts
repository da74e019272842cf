import { beforeEach, describe, expect, test } from 'vitest';
import type { AppConfig } from '@/lib/shared/config/app-config';
import { cookieTable } from '@/lib/shared/cookie-table';
import type { CookieJar } from './client';
import { configureOrigin, type serveRemembered } from './remembered-browser';
import { createWays } from './second-factor-ways';

const RULES: [string, AppConfig['secondFactor']][] = [
  ['no rule', undefined],
  ['off', { use: 'off' }],
  ['required', { use: 'required' }],
];
/**
 * Sign-ins that revoke all earlier sign-ins, by a new password or by a proof of an unverified account's mailbox. The
 * browser is forgotten.
 */
const REVOKING = ['the code that confirms an email', 'a password reset by code', 'a password reset by link'];

export const identities: AppConfig = {
  rememberBrowsers: true,
  enabledIdentities: ['password', 'google.com', 'enterprise'],
};

/** Tests sign-in methods in a remembered browser under every rule of the origin. */
export function testRememberedByMethod(app: ReturnType<typeof serveRemembered>, names: string[]): void {
  const { assurance, expectCode, show } = app;
  const { ways, joinOrganization } = createWays(app);
  describe.each(names)('in a remembered browser, %s', (name) => {
    const signIn = (browser: CookieJar) => (ways[name] ?? expect.unreachable(name))(browser);
    beforeEach(async () => {
      await configureOrigin(identities);
      await (name.startsWith('an organization') ? joinOrganization('saml.acme', 'acme.test') : undefined);
    });

    test.each(RULES)('where the origin has %s', async (_rule, secondFactor) => {
      const phone = await app.remember(await app.enrol());
      await configureOrigin({ ...identities, ...(secondFactor && { secondFactor }) });
      const answer = await signIn(phone);
      if (REVOKING.includes(name)) return expectCode(answer, 403, 'second-factor-required');
      expect(answer).toMatchObject({ status: 200 });
      expect(await assurance(phone)).toBe(1);
    });

    test('is asked for a code when the platform asks for two factors', async () => {
      const enrolled = await app.enrol();
      const phone = await app.remember(enrolled);
      phone.cookies[cookieTable.acrValues.name] = 'aal2';
      expectCode(await signIn(phone), 403, 'second-factor-required');
      expect(await show(phone, { code: enrolled.codeAt(30) })).toMatchObject({ status: 200 });
      expect(await assurance(phone)).toBe(2);
    });
  });
}
