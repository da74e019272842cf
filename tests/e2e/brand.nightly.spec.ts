import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { signInAtSecurity } from '../support/account-journeys';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

const atAcme = ({ appOrigin }: Endpoints) => appOrigin.replace('//localhost', '//acme.localhost');

const ACCENT = '#b3261e';
const readAccent = () => getComputedStyle(document.documentElement).getPropertyValue('--accent').trim();

for (const path of [
  '/sign-in',
  '/sign-in/with-email-link',
  '/registration',
  '/forget-password',
  '/forget-password/instructions',
  '/actions',
  '/self-check',
  '/mobile/account-selection',
  '/partner-auth/initiate',
  '/sign-out',
  '/no-such-page',
])
  test(`on the host of another brand, ${path} wears that brand`, async ({ page, endpoints }) => {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(atAcme(endpoints) + path);
    await expect(page.getByRole('banner')).toContainText('Acme');
    expect(await page.evaluate(readAccent)).toBe(ACCENT);
    await expectNoViolations(page);
  });

test('on the host of another brand, the pages of a session wear that brand', async ({ page, endpoints, user }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await signInAtSecurity(page, { appOrigin: atAcme(endpoints) }, user);
  for (const path of ['/security', '/user/courses', '/account-settings/change-password']) {
    await page.goto(atAcme(endpoints) + path);
    await expect(page.getByRole('banner')).toContainText('Acme');
    expect(await page.evaluate(readAccent)).toBe(ACCENT);
  }
  await expectNoViolations(page);
});
