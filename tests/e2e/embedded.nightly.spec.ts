import { expect, test } from '../support/fixtures';
import { getDashboardUrl } from '../support/journeys';
import { showWay } from '../support/sign-in-ways';

test.use({
  userAgent:
    'Mozilla/5.0 (Linux; Android 15; Pixel 9; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/137.0.0.0 Mobile Safari/537.36',
});

test('an embedded browser gets a notice before Google refuses, and working alternatives', async ({
  page,
  context,
  endpoints,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(getDashboardUrl(endpoints));
  await expect(page.getByText("You can't sign in with Google inside another app")).toBeVisible();
  await expect(page.getByRole('button', { name: 'Continue with Google' })).toHaveCount(0);
  await showWay(page, page.getByRole('button', { name: 'Continue with Microsoft' }));
  await page.getByRole('button', { name: 'Copy the link to this page' }).click();
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
  const link = new URL(await page.evaluate(() => navigator.clipboard.readText()));
  expect(link.origin + link.pathname).toBe(`${endpoints.appOrigin}/sign-in`);
  expect(link.searchParams.get('redirect_uri')).toBe(getDashboardUrl(endpoints));
});
