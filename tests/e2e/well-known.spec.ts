import { expect, test } from '../support/fixtures';
import { submitSignIn } from '../support/journeys';

test('a password manager finds where to change the password, also when it must sign in first', async ({
  page,
  endpoints,
  request,
  user,
}) => {
  const address = `${endpoints.appOrigin}/.well-known/change-password`;
  const answer = await request.get(address, { maxRedirects: 0 });
  expect([answer.status(), answer.headers().location]).toEqual([303, '/security']);
  expect(answer.headers()['cache-control']).toBe('no-store');
  await page.goto(address);
  await submitSignIn(page, user);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/security`);
  await expect(page.getByRole('link', { name: 'Change your password' })).toBeVisible();
});
