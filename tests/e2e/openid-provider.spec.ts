// Threats: foreign-client
import { expect, test } from '../support/fixtures';
import { submitSignIn } from '../support/journeys';

test('a school on another domain: sign-in, silent sign-on for the platform, and logout by the back channel', async ({
  page,
  endpoints,
  user,
}) => {
  const { schoolOrigin, appOrigin } = endpoints;
  await page.goto(schoolOrigin);
  await expect(page.getByRole('status')).toHaveText('Not signed in: login_required');
  await page.getByRole('link', { name: 'Sign in with Campus' }).click();
  await expect(page).toHaveURL(new RegExp(`^${appOrigin}/sign-in`));
  await expect(page.getByText("You'll continue to Lakeside School.")).toBeVisible();
  await submitSignIn(page, user);
  await expect(page).toHaveURL(`${schoolOrigin}/`);
  await expect(page.getByText(`Signed in as ${user.name}, ${user.email}, with one factor.`)).toBeVisible();

  const platform = await page.context().newPage();
  await platform.goto(`${endpoints.platformOrigin}/user/dashboard`);
  await platform.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByRole('status')).toHaveText('Campus has signed you out here, too.', { timeout: 60_000 });
});
