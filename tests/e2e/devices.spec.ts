// ASVS: 7.4.1, 7.5.2
// Threats: stolen-session
import { openSecurity } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { expectSignInPage, signIn } from '../support/journeys';
import { getDevices, openElsewhere } from '../support/devices-journeys';

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
