import { expect, test } from '../support/fixtures';
import {
  holdScripts,
  onceHydrated,
  pageReady,
  getSignInCode,
  getSignInUrl,
  submitSignIn,
  expectDashboard,
} from '../support/journeys';
import { expectNoViolations } from '../support/axe';

for (const theme of ['light', 'dark']) {
  test(`no accessibility violation in ${theme}`, async ({ page, endpoints }) => {
    await page.goto(`${getSignInUrl(endpoints)}?theme=${theme}`);
    await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
    await expectNoViolations(page);
  });

  test(`no accessibility violation after a refused sign-in in ${theme}`, async ({ page, endpoints }) => {
    await page.goto(`${getSignInUrl(endpoints)}?theme=${theme}`);
    await submitSignIn(page, { email: 'unknown@campus.test', password: 'not-my-password' });
    await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toBeVisible();
    await expectNoViolations(page);
  });
}

test('an unknown notification shows nothing', async ({ page, endpoints }) => {
  await page.goto(`${getSignInUrl(endpoints)}?notification=%3Cb%3Eyou%20won`);
  // The parameter has been read and removed.
  await expect(page).not.toHaveURL(/notification/);
  await expect(page.getByText('you won')).toHaveCount(0);
});

test('focusing the form before hydration preloads what submitting needs', async ({ page, endpoints }) => {
  const release = await holdScripts(page);
  await page.goto(getSignInUrl(endpoints), { waitUntil: 'commit' });
  await page.getByLabel('Password', { exact: true }).focus();
  const code = getSignInCode(page);
  release();
  await code;
});

for (const isShared of [false, true])
  test(`a wrong password that is submitted before hydration is asked about once${isShared ? ', on a shared computer' : ''}`, async ({
    page,
    endpoints,
    user,
  }) => {
    let questions = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().includes('accounts:signInWithPassword')) questions += 1;
    });
    const release = await holdScripts(page);
    await page.goto(getSignInUrl(endpoints), { waitUntil: 'commit' });
    if (isShared) await page.getByLabel('This is a shared computer').check();
    await submitSignIn(page, { ...user, password: 'not-my-password' });
    release();
    await expect(page.getByRole('alert').filter({ hasText: 'Incorrect email or password' })).toBeVisible();
    expect(questions).toBe(1);
    await submitSignIn(page, user);
    await expectDashboard(page, endpoints, user);
    expect(questions).toBe(2);
  });

test('a button clicked during hydration acts once', async ({ page, endpoints }) => {
  await onceHydrated(page, () => document.querySelector<HTMLButtonElement>('form button[aria-label]')?.click());
  await page.goto(getSignInUrl(endpoints));
  await pageReady(page);
  await page.waitForLoadState('networkidle');
  await expect(page.getByRole('button', { name: 'Hide password' })).toBeVisible();
});

test('the button clicked last before hydration acts afterwards', async ({ page, endpoints }) => {
  const release = await holdScripts(page);
  await page.goto(getSignInUrl(endpoints), { waitUntil: 'commit' });
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  const popup = page.waitForEvent('popup');
  release();
  await expect(await popup).toHaveURL(/providerId=google\.com/);
  expect(page.context().pages()).toHaveLength(2);
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
