// ASVS: 6.3.5
// Threats: unnoticed-sign-in, forged-disavowal
import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { expectNoViolations } from '../support/axe';

const getHeading = (page: Page) => page.getByRole('heading', { level: 1 });

test('a link that is not ours says so, and leads on', async ({ page, endpoints }) => {
  await page.goto(`${endpoints.appOrigin}/actions?mode=disavowSignIn&oobCode=forged`);
  await expect(getHeading(page)).toHaveText('This link is incomplete');
  await expectNoViolations(page);
  await expect(page.getByRole('link', { name: 'Go to your account' })).toBeVisible();
});
