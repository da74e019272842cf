import { expect, test } from '../support/fixtures';
import { getSignInUrl } from '../support/journeys';

test('a working browser passes, and gets a stable support code', async ({ page, endpoints }) => {
  await page.goto(getSignInUrl(endpoints));
  await page.getByRole('link', { name: 'Check this browser' }).click();
  await page.waitForURL('**/self-check');
  await page.getByRole('button', { name: 'Start the check' }).click();
  await expect(page.getByText('Everything you need to sign in works here.')).toBeVisible();
  const code = await page.locator('main strong').textContent();
  expect(code).toMatch(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/);
  await page.getByRole('button', { name: 'Check again' }).click();
  await expect(page.getByText('Everything you need to sign in works here.')).toBeVisible();
  await expect(page.locator('main strong')).toHaveText(code ?? '');
});

test('failed checks are listed with advice', async ({ page, endpoints }) => {
  await page.addInitScript(() => {
    window.open = () => null;
    Object.defineProperty(document, 'cookie', { get: () => '', set: () => {} });
    const now = Date.now.bind(Date);
    Date.now = () => now() + 3_600_000;
  });
  await page.route('**/identitytoolkit.googleapis.com/**', (route) => route.abort());
  await page.goto(`${endpoints.appOrigin}/self-check`);
  await page.getByRole('button', { name: 'Start the check' }).click();
  for (const name of ['Cookies', 'Pop-up windows', 'Date and time', 'Connection to the sign-in service'])
    await expect(page.getByText(`${name}: not working`)).toBeVisible();
  await expect(page.getByText('Storage: OK')).toBeVisible();
  await expect(page.getByText('Connection to this site: OK')).toBeVisible();
  await expect(page.getByText('Set the date and time to automatic.')).toBeVisible();
});
