import { expect, test } from '../support/fixtures';
import { expectNoViolations, expectRulesHold, findViolations } from '../support/axe';
import { getSignInUrl, pageReady, signInByApi, submitSignIn } from '../support/journeys';

/** Requires a contrast of 7 for text and 4.5 for large text (WCAG 2.2, 1.4.6). */
const MORE_CONTRAST = ['color-contrast-enhanced'];

for (const brand of ['localhost', 'acme.localhost', 'north.localhost'])
  for (const colorScheme of ['light', 'dark'] as const)
    test(`with more contrast, /sign-in of ${brand} in ${colorScheme}`, async ({ page, endpoints }) => {
      await page.emulateMedia({ colorScheme, contrast: 'more' });
      await page.goto(getSignInUrl(endpoints).replace('localhost', brand));
      await pageReady(page);
      const field = page.getByLabel('Password', { exact: true });
      const ink = await page.locator('body').evaluate((body) => getComputedStyle(body).color);
      await expect(field).toHaveCSS('border-top-color', ink);
      await expectRulesHold(page, MORE_CONTRAST, brand);
      await page.emulateMedia({ contrast: 'no-preference' });
      await expect(field).not.toHaveCSS('border-top-color', ink);
    });

test('with forced colors, the current page, the focus, an error and a notification are visible', async ({
  page,
  endpoints,
  accounts,
  user,
}) => {
  await page.emulateMedia({ forcedColors: 'active', colorScheme: 'light' });
  await page.goto(`${getSignInUrl(endpoints)}?notification=AutoSignOut`);
  await pageReady(page);
  const paper = await page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
  const toast = page.getByRole('button', { name: 'Close' }).locator('..');
  await expect(toast).not.toHaveCSS('outline-color', paper);
  await expect(toast).toHaveCSS('outline-style', 'solid');
  const field = page.getByLabel('Email', { exact: true });
  await expect(field).toHaveCSS('border-top-width', '1px');
  await submitSignIn(page, { email: 'no address', password: '' });
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await expect(field).toHaveCSS('border-top-width', '2px');
  await field.focus();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  await expect(field).toHaveCSS('outline-style', 'solid');
  await expect(field).not.toHaveCSS('outline-color', paper);

  await signInByApi(page, endpoints, await accounts.idToken(user));
  await page.goto(`${endpoints.appOrigin}/security`);
  const pages = page.getByRole('navigation').getByRole('link');
  await expect(page.getByRole('button', { name: 'Sign out', exact: true })).toBeVisible();
  for (const link of await pages.all())
    await expect(link).toHaveCSS(
      'text-decoration-line',
      (await link.getAttribute('aria-current')) === null ? 'none' : 'underline',
    );
});

test('with text at twice its size, the account page keeps everything', async ({ page, endpoints, accounts, user }) => {
  await signInByApi(page, endpoints, await accounts.idToken(user));
  await page.goto(`${endpoints.appOrigin}/security`);
  await expect(page.getByRole('button', { name: 'Sign out', exact: true })).toBeVisible();
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await page.evaluate(() => void (document.documentElement.style.fontSize = '200%'));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
});

test('a name for control by voice has the words that are shown', async ({ page, endpoints }) => {
  await page.goto(getSignInUrl(endpoints));
  await pageReady(page);
  await expectNoViolations(page);
  // Shows that the rule is on, because it finds a name with other words.
  await page.getByRole('button', { name: 'Sign in', exact: true }).evaluate((button) => {
    button.setAttribute('aria-label', 'Submit');
  });
  const violations = await findViolations(page);
  expect(violations).toHaveLength(1);
  expect(violations[0]).toContain('label-content-name-mismatch');
});
