import { getPartHeading, getParts, openSecuritySignedIn } from '../support/account-journeys';
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { signInByApi } from '../support/journeys';
import { scheduleDeletion } from '../support/scheduled-deletion';

for (const width of [390, 1280])
  test(`the address of a part opens it at ${String(width)}`, async ({ page, endpoints, user, accounts }) => {
    await page.setViewportSize({ width, height: 800 });
    await signInByApi(page, endpoints, await accounts.idToken(user));
    for (const address of ['?part=devices', '?part=your-data', '#your-data']) {
      await page.goto(`${endpoints.appOrigin}/security${address}`);
      await expect(getPartHeading(page, address === '?part=devices' ? 'Devices' : 'Your data')).toBeInViewport();
    }
    await page.goto(`${endpoints.appOrigin}/security?part=nothing`);
    await expect(getParts(page).locator('[aria-current]')).toHaveText('Sign-in');
  });

test('a scheduled deletion is accessible in the dark', async ({ page, endpoints, user, accounts }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await scheduleDeletion(endpoints, user);
  await openSecuritySignedIn(page, endpoints, await accounts.idToken(user));
  await expectNoViolations(page);
});
