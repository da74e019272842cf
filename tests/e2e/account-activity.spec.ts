import { expectNoViolations } from '../support/axe';
import { CookieJar } from '../support/client';
import { expect, test } from '../support/fixtures';
import { signInAtSecurity } from '../support/account-journeys';

test('lists the newest 20 events, and older ones on request', async ({ page, endpoints, user, accounts }) => {
  await signInAtSecurity(page, endpoints, user);
  const jar = new CookieJar({ origin: endpoints.appOrigin });
  // Each pair is a sign-in and a sign-out.
  for (let i = 0; i < 11; i++) {
    const token = await accounts.idToken(user);
    expect((await jar.post(`${endpoints.appOrigin}/api/create-user-session`, { token })).status).toBe(200);
    expect((await jar.post(`${endpoints.appOrigin}/api/initiate-logout`)).status).toBe(200);
  }
  const items = page.getByRole('list', { name: 'Account activity' }).getByRole('listitem');
  // Events are recorded in the background.
  await expect(async () => {
    await page.goto(`${endpoints.appOrigin}/security`);
    await page.getByRole('button', { name: 'Show all' }).click({ timeout: 10_000 });
    await expect(items).toHaveCount(20, { timeout: 5_000 });
    await expect(items.first()).toContainText('Signed out', { timeout: 1_000 });
  }).toPass();
  const more = page.getByRole('button', { name: 'Show more' });
  await page.route('**/api/account/activity', (route) => route.abort(), { times: 1 });
  await more.click();
  await expect(page.getByRole('alert').filter({ hasText: "We can't show your activity" })).toBeVisible();
  await more.click();
  await expect(items.nth(20)).toBeFocused();
  await expect(items.last()).toContainText('Signed in (password)');
  await expect(items.last()).toContainText(/\d+ minutes? ago, \d+:\d\d [AP]M · Chrome on /);
  await expect(more).toBeHidden();
  await expectNoViolations(page);
});
