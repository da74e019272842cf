// Threats: email-scanner
import { codeFor, freshEmail, NEW_PASSWORD } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';

test('registration leads from the sign-in page to the requested course', async ({ page, endpoints }) => {
  const course = `${endpoints.platformOrigin}/user/courses/the-night-sky`;
  const email = freshEmail();
  await page.goto(course);
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Mia Moreau');
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByText(email)).toBeVisible();

  // Types like a user. A complete code is submitted automatically.
  const code = await codeFor(endpoints, email);
  await page
    .getByLabel('Code', { exact: true })
    .pressSequentially(`${code.slice(0, 3).toLowerCase()} ${code.slice(3)}`);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/registration/success`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your account is ready');
  await expect(page.getByText("You've confirmed your email and signed in.")).toBeVisible();
  await page.getByRole('link', { name: 'Continue' }).click();
  await expect(page).toHaveURL(course);
});
