import { expect, test } from '../support/fixtures';
import { expectDashboard, holdScripts, getSignInUrl, submitSignIn } from '../support/journeys';

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

test('a form filled and submitted before hydration is sent exactly once', async ({ page, endpoints, user }) => {
  let [calls, questions] = [0, 0];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/create-user-session')) calls += 1;
    if (request.method() === 'POST' && request.url().includes('accounts:signInWithPassword')) questions += 1;
  });
  const release = await holdScripts(page);
  await page.goto(getSignInUrl(endpoints), { waitUntil: 'commit' });
  await submitSignIn(page, user);
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue(user.password);
  expect([calls, questions]).toEqual([0, 0]);
  release();
  await expectDashboard(page, endpoints, user);
  expect([calls, questions]).toEqual([1, 1]);
});
