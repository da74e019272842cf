import { expect, test } from '../support/fixtures';
import { getSignInUrl, pageReady } from '../support/journeys';

for (const path of ['/', '/Sign-In', '/SIGN-IN']) {
  test(`${path} opens sign-in`, async ({ page, endpoints }) => {
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await page.goto(`${endpoints.appOrigin}${path}?utm_source=flyer`);
    await pageReady(page);
    await expect(page).toHaveURL((url) => url.href.startsWith(getSignInUrl(endpoints)));
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in');
    await page.waitForLoadState('networkidle');
    expect(complaints).toEqual([]);
  });
}
