// ASVS: 7.5.2
import type { Locator } from '@playwright/test';
import { getParts, getPartHeading, getStatus, loadSecurity, openSecuritySignedIn } from '../support/account-journeys';
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { expectSignInPage, signInByApi, submitSignIn } from '../support/journeys';
import { withoutOffer } from '../support/passkey-journeys';
import { scheduleDeletion } from '../support/scheduled-deletion';
import { registerOwner } from '../support/registered';
import { getSetUp } from '../support/second-factor-journeys';

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

const PARTS = [
  ['Sign-in', 'sign-in', 'Sign-in'],
  ['Two-step verification', 'two-step-verification', 'Two-step verification'],
  ['Devices and activity', 'devices', 'Devices'],
  ['Your data', 'your-data', 'Your data'],
] as const;

test('each part has an address, and opens without a request', async ({ page, endpoints, user, accounts }) => {
  // While nothing else happens, the page signs in at the identity provider.
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
  // Below its part's first heading.
  await getStatus(page).getByRole('link', { name: 'No passkeys' }).click();
  await expect(page).toHaveURL(`${endpoints.appOrigin}/security?part=sign-in`);
  await expect(page.getByRole('heading', { name: 'Passkeys' })).toBeFocused();
  await expect(page.getByRole('button', { name: 'Add a passkey' })).toBeInViewport();
  expect(requests).toEqual([]);
});

test('other devices are named, and all are signed out after one question', async ({
  page,
  endpoints,
  user,
  accounts,
}) => {
  const token = await accounts.idToken(user);
  await signInByApi(page, endpoints, token, { 'user-agent': IPHONE });
  await page.context().clearCookies();
  await openSecuritySignedIn(page, endpoints, token);
  const devices = page.getByRole('list', { name: 'Devices' }).getByRole('listitem');
  await expect(devices.first()).toContainText('Active now');
  await expect(devices.nth(1)).toContainText(/Last used \d+ minutes? ago, \d+:\d\d [AP]M/);
  await page.getByRole('button', { name: 'Sign out Safari on iOS' }).click();
  await expect(page.getByText('Safari on iOS is signed out.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Not yours? Change your password' })).toBeVisible();
  await expect(getStatus(page).getByRole('link', { name: '1 device' })).toBeVisible();
  const button = page.getByRole('button', { name: 'Sign out everywhere' });
  await button.click();
  const question = page.getByRole('group', { name: 'Sign out on all your devices?' });
  await expect(question).toBeFocused();
  await expectNoViolations(page);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(button).toBeFocused();
  await button.click();
  await question.getByRole('button', { name: 'Sign out everywhere' }).click();
  await expectSignInPage(page, endpoints);
});

test('a deletion is warned of at the top, and named where it is asked for', async ({
  page,
  endpoints,
  user,
  accounts,
}) => {
  await scheduleDeletion(endpoints, user);
  await openSecuritySignedIn(page, endpoints, await accounts.idToken(user));
  const keep = page.getByRole('button', { name: 'Keep my account' });
  await expect(keep).toBeInViewport();
  const getTop = async (item: Locator) => (await item.boundingBox())?.y ?? 0;
  expect(await getTop(keep)).toBeLessThan(await getTop(getStatus(page)));
  await expectNoViolations(page);
  await keep.click();
  await expect(page.locator('main :focus')).toHaveText("Your account won't be deleted.");
  const data = page.getByRole('region', { name: 'Your data' });
  await data.getByRole('button', { name: 'Delete my account' }).click();
  await expect(data.getByLabel('Current password', { exact: true })).toBeVisible();
  await expect(data.getByRole('button', { name: 'Delete my account' })).toBeVisible();
  await expectNoViolations(page);
});

test('a sign-in on a new browser is asked about, and answered either way', async ({
  page,
  browser,
  endpoints,
  accounts,
}) => {
  const headers = { origin: endpoints.appOrigin, 'sec-fetch-site': 'same-origin' };
  const owner = await registerOwner(endpoints, async (path, data) => {
    const answer = await page.request.post(endpoints.appOrigin + path, { data, headers });
    return { status: answer.status(), body: await answer.json().catch(() => undefined) };
  });
  const token = await accounts.idToken(owner);
  const phone = await browser.newContext();
  await signInByApi(phone, endpoints, token, { 'user-agent': IPHONE });
  await loadSecurity(page, endpoints);
  const question = page.getByRole('group', { name: /^Was this you\? Safari on iOS, \d+ minutes? ago/ });
  await expect(question).toBeInViewport();
  await expectNoViolations(page);
  await question.getByRole('button', { name: 'It was me' }).click();
  await expect(question).toHaveCount(0);
  await expect(page.locator('main :focus')).toHaveText("Thanks. We won't ask about this sign-in again.");
  await phone.clearCookies();
  await signInByApi(phone, endpoints, token, { 'user-agent': IPHONE });
  await page.reload();
  await question.getByRole('button', { name: "This wasn't me" }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Secure your account');
  expect(page.url()).toBe(`${endpoints.appOrigin}/actions`);
  await page.getByRole('button', { name: "This wasn't me" }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Choose a new password');
  await phone.close();
});

test('the brand, the pages and the skip link lead back', async ({ page, endpoints, user, accounts }) => {
  await openSecuritySignedIn(page, endpoints, await accounts.idToken(user));
  const pages = page.getByRole('navigation', { name: 'Pages' });
  await expect(pages.getByRole('link', { name: 'Security' })).toHaveAttribute('aria-current', 'page');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to main content' })).toBeFocused();
  await expect(page.getByRole('link', { name: 'Skip to main content' })).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
  await expect(page).toHaveURL(`${endpoints.appOrigin}/security`);
  await page.getByRole('link', { name: 'Campus' }).click();
  await expect(page).toHaveURL(`${endpoints.appOrigin}/user/courses`);
  await expect(pages.getByRole('link', { name: 'Courses' })).toHaveAttribute('aria-current', 'page');
  await pages.getByRole('link', { name: 'Security' }).click();
  await expect(page).toHaveURL(`${endpoints.appOrigin}/security`);
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

test.describe('on a touch screen', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });

  test('the set-up of an app is a step of its own, which opens the app first', async ({
    page,
    endpoints,
    user,
    accounts,
  }) => {
    await withoutOffer(page);
    await openSecuritySignedIn(page, endpoints, await accounts.idToken(user));
    await getSetUp(page).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Set up an authenticator app');
    await expect(page.getByText(/^Open it in your authenticator app/)).toBeVisible();
    const order = await Promise.all(
      [
        page.getByRole('link', { name: 'Open in an authenticator app' }),
        page.getByRole('definition'),
        page.getByRole('img', { name: 'QR code for your authenticator app' }),
      ].map(async (item) => (await item.boundingBox())?.y ?? 0),
    );
    expect(order).toEqual([...order].sort((a, b) => a - b));
    // The rest of the page waits.
    await expect(page.getByRole('region', { name: 'Devices' })).toHaveCount(0);
    await expect(getParts(page)).toHaveCount(0);
    await expectNoViolations(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Security');
    await expect(getSetUp(page)).toBeFocused();
  });

  test('the address of a part opens it, below the row that stays in view', async ({
    page,
    endpoints,
    user,
    accounts,
  }) => {
    await signInByApi(page, endpoints, await accounts.idToken(user));
    for (const [link, part, title] of PARTS) {
      await page.goto(`${endpoints.appOrigin}/security?part=${part}`);
      const heading = getPartHeading(page, title);
      await expect(heading).toBeFocused();
      await expect(heading).toBeInViewport();
      await expect(getParts(page).locator('[aria-current]')).toHaveText(link);
      const row = await getParts(page).boundingBox();
      const top = (await heading.boundingBox())?.y ?? 0;
      expect(top).toBeGreaterThanOrEqual((row?.y ?? 0) + (row?.height ?? 0));
    }
  });
});

test('in a browser that the session was not opened in, the page says how to go on', async ({
  page,
  endpoints,
  user,
  accounts,
}) => {
  await openSecuritySignedIn(page, endpoints, await accounts.idToken(user));
  const notice = page.getByText('To change your account in this browser, sign in again.');
  await expect(notice).toHaveCount(0);
  await page.context().clearCookies({ name: 'device' });
  await page.reload();
  await expect(notice).toBeVisible();
  await expectNoViolations(page);
  await page.getByRole('main').getByRole('button', { name: 'Sign in again' }).click();
  await expectSignInPage(page, endpoints);
  await submitSignIn(page, user);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/security`);
  await expect(getPartHeading(page, 'Sign-in')).toBeVisible();
  await expect(notice).toHaveCount(0);
});
