// ASVS: 7.4.1, 7.5.2
// Threats: stolen-session
import { confirmWith, openSecurity, signInAtSecurity, openRows } from '../support/account-journeys';
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { expectSignInPage, signIn } from '../support/journeys';
import { startTimedApp } from '../support/timed-app';
import { getDevices, openElsewhere } from '../support/devices-journeys';

test('all other devices are signed out together', async ({ page, browser, endpoints, user }) => {
  await signIn(page, endpoints, user);
  const others = [await openElsewhere(browser, endpoints, user), await openElsewhere(browser, endpoints, user)];
  await openSecurity(page, endpoints);
  await page.getByRole('button', { name: 'Sign out all other devices' }).click();
  await expect(page.getByText('All other devices are signed out.')).toBeVisible();
  await expect(getDevices(page)).toHaveCount(1);
  for (const other of others) {
    await other.reload();
    await expectSignInPage(other, endpoints);
    await other.context().close();
  }
});

test('after more than 5 minutes it takes the password', async ({ page, browser, endpoints: shared, user }) => {
  // Starts another app.
  test.slow();
  const { endpoints, advance, stop } = await startTimedApp(shared);
  await signInAtSecurity(page, endpoints, user);
  const other = await openElsewhere(browser, endpoints, user);
  await advance(400);
  await openSecurity(page, endpoints);
  const button = page.getByRole('button', { name: 'Sign out Firefox on Windows' });
  await button.click();
  await expect(page.getByText("Confirm it's you to sign out Firefox on Windows.")).toBeVisible();
  await expectNoViolations(page);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(button).toBeFocused();
  await button.click();
  await confirmWith(page, 'not-my-password', 'Sign out Firefox on Windows');
  await expect(page.getByRole('alert').filter({ hasText: /\S/ }).first()).toBeVisible();
  await advance(0);
  await confirmWith(page, user.password, 'Sign out Firefox on Windows');
  await expect(page.getByText('Firefox on Windows is signed out.')).toBeVisible();
  await other.reload();
  await expectSignInPage(other, endpoints);
  await other.context().close();
  await stop();
});

test('a failure says so and changes nothing', async ({ page, browser, endpoints, user }) => {
  await signIn(page, endpoints, user);
  const other = await openElsewhere(browser, endpoints, user);
  await openSecurity(page, endpoints);
  await page.route('**/api/account/end-sessions', (route) => route.abort(), { times: 1 });
  const button = page.getByRole('button', { name: 'Sign out Firefox on Windows' });
  await button.click();
  await expect(page.getByRole('alert').filter({ hasText: "We couldn't sign out the device." })).toBeVisible();
  await expect(button).toBeFocused();
  await other.context().close();
});

test('in a browser that the session was not opened in, a proof leads to signing in again, and the form stays usable', async ({
  page,
  browser,
  endpoints,
  user,
}) => {
  await signIn(page, endpoints, user);
  const other = await openElsewhere(browser, endpoints, user);
  await openSecurity(page, endpoints);
  await page.context().clearCookies({ name: /device$/ });
  let asked = 0;
  page.on('request', (request) => (asked += Number(request.url().endsWith('/api/account/end-sessions'))));
  await page.getByRole('button', { name: 'Sign out Firefox on Windows' }).click();
  const refusal = page.getByRole('alert').filter({ hasText: /\S/ });
  for (let time = 0; time < 2; time += 1) {
    await confirmWith(page, user.password, 'Sign out Firefox on Windows');
    // The first press on the page makes a request, and so does each proof.
    await expect.poll(() => asked).toBe(time + 2);
    await expect(refusal.getByRole('button', { name: 'Sign in again' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Sign out Firefox on Windows' })).not.toHaveAttribute(
      'aria-disabled',
    );
  }
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(getDevices(page)).toHaveCount(2);
  await other.context().close();
});

for (const theme of ['light', 'dark']) {
  for (const width of [390, 1280]) {
    test(`no accessibility violation in ${theme} at ${String(width)}`, async ({ page, browser, endpoints, user }) => {
      await page.setViewportSize({ width, height: 900 });
      await signIn(page, endpoints, user);
      const other = await openElsewhere(browser, endpoints, user);
      await page.goto(`${endpoints.appOrigin}/security?theme=${theme}`);
      await openRows(page);
      await expect(getDevices(page)).toHaveCount(2);
      await expectNoViolations(page);
      await other.context().close();
    });
  }
}

test('a device is signed out from another one, at once', async ({ page, browser, endpoints, user }) => {
  await signIn(page, endpoints, user);
  const other = await openElsewhere(browser, endpoints, user);
  await openSecurity(page, endpoints);
  await expect(getDevices(page)).toHaveCount(2);
  await expect(getDevices(page).first()).toContainText('This device');
  await expect(getDevices(page).first().getByRole('button')).toHaveCount(0);
  // The list is loaded again despite the parameter and the fragment. The removed parameter does not come back.
  await page.goto(`${endpoints.appOrigin}/security?return_to=courses#elsewhere`);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/security#elsewhere`);
  const theirs = getDevices(page).filter({ hasText: 'Firefox on Windows, signed in with password' });
  await expect(theirs).toContainText(/Last used .+ ago, \d+:\d\d [AP]M/);
  const button = theirs.getByRole('button', { name: 'Sign out Firefox on Windows' });
  await expect(button).toHaveAccessibleDescription(/^Last used /);
  await button.click();
  await expect(page.getByText('Firefox on Windows is signed out.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Devices' })).toBeFocused();
  await expect(getDevices(page)).toHaveCount(1);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/security`);
  await expect(page.getByText("You aren't signed in on any other device.")).toBeVisible();
  await other.reload();
  await expectSignInPage(other, endpoints);
  await other.context().close();
  await page.reload();
  await expect(page.getByRole('list', { name: 'Account activity' })).toContainText('Another device signed out');
});
