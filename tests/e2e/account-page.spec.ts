// ASVS: 7.5.2
import { getNextStep, getParts, getPartHeading, getRows, openSecuritySignedIn } from '../support/account-journeys';
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { signInByApi } from '../support/journeys';

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
  // These passkeys are below the first heading of their part.
  await getNextStep(page).getByRole('link', { name: 'Add a passkey' }).click();
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

test('on a phone, the whole row opens what it names, and the next step leads there', async ({
  page,
  endpoints,
  user,
  accounts,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await signInByApi(page, endpoints, await accounts.idToken(user));
  await page.goto(`${endpoints.appOrigin}/security`);
  await expect(page.getByRole('button', { name: 'Sign out', exact: true })).toBeVisible();
  await expect(getRows(page)).toHaveCount(6);
  await expectNoViolations(page);
  const region = page.getByRole('region', { name: 'Your data' });
  const row = region.getByRole('button', { name: 'Your data' });
  await expect(row).toHaveAccessibleDescription('Download or delete');
  await expect(region.getByRole('button', { name: 'Delete my account' })).toBeHidden();
  const box = await region.boundingBox();
  await row.scrollIntoViewIfNeeded();
  // At the corner of the row.
  await row.click({ position: { x: 4, y: (box?.height ?? 0) - 6 } });
  await expect(row).toHaveAttribute('aria-expanded', 'true');
  await expect(region.getByRole('button', { name: 'Delete my account' })).toBeVisible();
  await row.press('Enter');
  await expect(region.getByRole('button', { name: 'Delete my account' })).toBeHidden();
  await getNextStep(page).getByRole('link', { name: 'Add a passkey' }).click();
  await expect(page.getByRole('heading', { name: 'Passkeys' })).toBeFocused();
  await expect(page.getByRole('button', { name: 'Add a passkey' })).toBeVisible();
  await expectNoViolations(page);
  await page.getByRole('region', { name: 'Email', exact: true }).click({ position: { x: 8, y: 8 } });
  await expect(page.getByLabel('New email')).toBeFocused();
});
