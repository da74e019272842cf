import { expect, test } from '../support/fixtures';
import { expectDashboard, holdScripts, getSignInUrl, submitSignIn } from '../support/journeys';
import { expectNoViolations } from '../support/axe';

test('the keyboard alone is enough to sign in', async ({ page, endpoints, user }) => {
  await page.goto(getSignInUrl(endpoints));
  const email = page.getByLabel('Email', { exact: true });
  for (let i = 0; i < 12 && !(await email.evaluate((field) => field === document.activeElement)); i += 1)
    await page.keyboard.press('Tab');
  await page.keyboard.type(user.email);
  const password = page.getByLabel('Password', { exact: true });
  for (let i = 0; i < 5 && !(await password.evaluate((field) => field === document.activeElement)); i += 1)
    await page.keyboard.press('Tab');
  await page.keyboard.type(user.password);
  await page.keyboard.press('Enter');
  await expectDashboard(page, endpoints, user);
});

test('an empty form shows what is missing and focuses it', async ({ page, endpoints }) => {
  await page.goto(getSignInUrl(endpoints));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  const email = page.getByLabel('Email', { exact: true });
  await expect(email).toBeFocused();
  await expect(email).toHaveAttribute('aria-invalid', 'true');
});

test('a double click signs in once', async ({ page, endpoints, user }) => {
  let sessions = 0;
  page.on('request', (request) => void (request.url().endsWith('/api/create-user-session') && (sessions += 1)));
  await page.goto(getSignInUrl(endpoints));
  await page.getByLabel('Email', { exact: true }).fill(user.email);
  await page.getByLabel('Password', { exact: true }).fill(user.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).dblclick();
  await expectDashboard(page, endpoints, user);
  expect(sessions).toBe(1);
});

test('a notification is shown once and removed from the URL', async ({ page, endpoints }) => {
  await page.goto(`${getSignInUrl(endpoints)}?notification=AutoSignOut`);
  await expect(page.getByText("You've been signed out").first()).toBeVisible();
  await expect(page).not.toHaveURL(/notification/);
});

test('an unknown path is a 404 with a link', async ({ page, endpoints }) => {
  const answer = await page.goto(`${endpoints.appOrigin}/no-such-page`);
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByRole('link').first()).toBeVisible();
  await expectNoViolations(page);
});

test('a form filled and submitted before hydration is sent exactly once', async ({ page, endpoints, user }) => {
  let calls = 0;
  page.on('request', (request) => (calls += request.url().endsWith('/api/create-user-session') ? 1 : 0));
  const release = await holdScripts(page);
  await page.goto(getSignInUrl(endpoints), { waitUntil: 'commit' });
  await submitSignIn(page, user);
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue(user.password);
  expect(calls).toBe(0);
  release();
  await expectDashboard(page, endpoints, user);
  expect(calls).toBe(1);
});
