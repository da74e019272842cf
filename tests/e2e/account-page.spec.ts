// ASVS: 7.5.2
import { getParts, getPartHeading, getStatus, openSecuritySignedIn } from '../support/account-journeys';
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';

const PARTS = [
  ['Sign-in', 'sign-in', 'Sign-in'],
  ['Two-step verification', 'two-step-verification', 'Two-step verification'],
  ['Devices and activity', 'devices', 'Devices'],
  ['Your data', 'your-data', 'Your data'],
] as const;

test('each part has an address, and opens without a request', async ({ page, endpoints, user, accounts }) => {
  // Once it is idle, the page signs in at the identity provider.
  const signedIn = page.waitForResponse(/accounts:lookup/);
  await openSecuritySignedIn(page, endpoints, await accounts.idToken(user));
  await signedIn;
  await page.waitForLoadState('networkidle');
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  for (const [link, part, heading] of [...PARTS].reverse()) {
    const address = `${endpoints.appOrigin}/security?part=${part}`;
    await getParts(page).getByRole('link', { name: link }).click();
    await expect(page).toHaveURL(address);
    await expect(getPartHeading(page, heading)).toBeFocused();
    await expect(getPartHeading(page, heading)).toBeInViewport();
    await expect(getParts(page).locator('[aria-current]')).toHaveText(link);
  }
  await getStatus(page).getByRole('link', { name: '1 device' }).click();
  await expect(getPartHeading(page, 'Devices')).toBeFocused();
  // These passkeys are below the first heading of their part.
  await getStatus(page).getByRole('link', { name: 'No passkeys' }).click();
  await expect(page).toHaveURL(`${endpoints.appOrigin}/security?part=sign-in`);
  await expect(page.getByRole('heading', { name: 'Passkeys' })).toBeFocused();
  await expect(page.getByRole('button', { name: 'Add a passkey' })).toBeInViewport();
  expect(requests).toEqual([]);
});

test('the name is changed', async ({ page, endpoints, user, accounts }) => {
  await openSecuritySignedIn(page, endpoints, await accounts.idToken(user));
  const section = page.getByRole('region', { name: 'Your name' });
  const change = section.getByRole('button', { name: 'Change your name' });
  await change.click();
  const field = section.getByLabel('Name', { exact: true });
  await expect(field).toBeFocused();
  await expect(field).toHaveValue(user.name);
  await page.keyboard.press('Escape');
  await expect(change).toBeFocused();
  await change.click();
  await field.fill('Jo');
  await section.getByRole('button', { name: 'Save' }).click();
  await expect(section.getByText('Enter a name with 3 to 28 characters.')).toBeVisible();
  await expectNoViolations(page);
  await field.fill('Zoë Martin');
  await section.getByRole('button', { name: 'Save' }).click();
  await expect(section.getByText('Your name is changed.')).toBeVisible();
  await expect(getPartHeading(page, 'Your name')).toBeFocused();
  await page.reload();
  await expect(section).toContainText('Zoë Martin');
  await expect(page.getByRole('banner')).toContainText('Zoë Martin');
  await expect(page.getByRole('list', { name: 'Account activity' })).toContainText('Name changed');
});
