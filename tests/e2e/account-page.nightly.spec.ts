// ASVS: 7.5.2
import type { BrowserContext, Locator } from '@playwright/test';
import {
  getPartHeading,
  getNextStep,
  getParts,
  loadSecurity,
  signInAtSecurity,
  openSecuritySignedIn,
  getRows,
} from '../support/account-journeys';
import { tokenBy } from '../support/accounts-client';
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { readCode } from '../support/factor-reset-journeys';
import { signIn, signInByApi, expectSignInPage, submitSignIn } from '../support/journeys';
import { scheduleDeletion } from '../support/scheduled-deletion';
import { enrolApp } from '../support/second-factor';
import { confirmApp, getSetUp, readCodes } from '../support/second-factor-journeys';
import { withoutOffer } from '../support/passkey-journeys';
import { postBy, registerOwner } from '../support/registered';

const PARTS = [
  ['Sign-in', 'sign-in', 'Sign-in'],
  ['Two-step verification', 'two-step-verification', 'Two-step verification'],
  ['Devices and activity', 'devices', 'Devices'],
  ['Your data', 'your-data', 'Your data'],
] as const;

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

for (const width of [390, 1280])
  test(`the address of a part opens it at ${String(width)}`, async ({ page, endpoints, user, accounts }) => {
    await page.setViewportSize({ width, height: 800 });
    await signInByApi(page, endpoints, await accounts.idToken(user));
    for (const address of ['?part=devices', '?part=your-data', '#your-data']) {
      await page.goto(`${endpoints.appOrigin}/security${address}`);
      await expect(getPartHeading(page, address === '?part=devices' ? 'Devices' : 'Your data')).toBeInViewport();
    }
    await page.goto(`${endpoints.appOrigin}/security?part=nothing`);
    await expect(page.getByRole('heading', { level: 1 })).toBeInViewport();
    if (width === 1280) await expect(getParts(page).locator('[aria-current]')).toHaveText('Sign-in');
  });

test('several warnings at once stand in order above everything else, in both themes', async ({
  page,
  browser,
  endpoints,
}) => {
  // The account is registered, because a browser that is new to its account is not asked about other sign-ins.
  const user = await registerOwner(endpoints, postBy(page, endpoints));
  await scheduleDeletion(endpoints, user);
  const { recoveryCodes, codeAt } = await enrolApp(endpoints, user);
  const token = await tokenBy(endpoints, 'signInWithPassword', user);
  const call = async ({ request }: BrowserContext, path: string, data: object) => {
    const headers = { origin: endpoints.appOrigin, 'sec-fetch-site': 'same-origin', 'user-agent': IPHONE };
    return (await request.post(`${endpoints.appOrigin}/api/${path}`, { data, headers })).status();
  };
  const signInTo = async (context: BrowserContext, factor: object) => {
    expect(await call(context, 'create-user-session', { token })).toBe(403);
    expect(await call(context, 'second-factor/sign-in', factor)).toBe(200);
  };
  for (const recoveryCode of recoveryCodes.slice(0, 9)) await signInTo(page.context(), { recoveryCode });
  const phone = await browser.newContext();
  await signInTo(phone, { code: codeAt() });
  await phone.clearCookies();
  expect(await call(phone, 'create-user-session', { token })).toBe(403);
  expect(await call(phone, 'second-factor/reset-code', {})).toBe(200);
  expect(await call(phone, 'second-factor/reset', { code: await readCode(endpoints, user) })).toBe(200);
  await phone.close();

  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [390, 1280]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await loadSecurity(page, endpoints);
      const warnings = page.getByRole('region', { name: 'Needs your attention' }).locator('> div');
      await expect(warnings).toHaveText([
        /^Your account will be deleted on .*Keep my account$/,
        /^Two-step verification will be turned off on .*Keep two-step verification$/,
        // The sign-ins of the browsers for the deletion, the app and the reset.
        ...Array.from({ length: 3 }, () => /^Was this you\? .*It was meThis wasn't me$/),
        /^Only 1 recovery code is left\. .*Get new recovery codes$/,
      ]);
      const name = page.getByRole('region', { name: 'Your name' });
      expect((await warnings.last().boundingBox())?.y ?? 0).toBeLessThan((await name.boundingBox())?.y ?? 0);
      await expect(getNextStep(page)).toHaveCount(0);
      await expectNoViolations(page);
    }
  await page.getByRole('link', { name: 'Get new recovery codes' }).click();
  await expect(getPartHeading(page, 'Two-step verification')).toBeFocused();
});

test('on a phone, the accounts that can be connected open into view', async ({ page, endpoints, user, accounts }) => {
  await page.setViewportSize({ width: 390, height: 664 });
  await signInByApi(page, endpoints, await accounts.idToken(user));
  await loadSecurity(page, endpoints);
  await page.getByRole('button', { name: 'Connect another account' }).click();
  const others = page.getByRole('list', { name: 'Accounts you can connect' }).getByRole('button');
  await expect(others.first()).toBeFocused();
  await expect(others.first()).toBeInViewport({ ratio: 1 });
  await expect(others.last()).toBeInViewport({ ratio: 0.9 });
});

test('the platform leads to the account page', async ({ page, endpoints, user }) => {
  await signIn(page, endpoints, user);
  await page.getByRole('link', { name: 'Account and security' }).click();
  await expect(page).toHaveURL(`${endpoints.appOrigin}/security`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Account and security');
});

test('the platform knows on every page who has signed in at the account page', async ({ page, endpoints, user }) => {
  await page.goto(endpoints.platformOrigin);
  await expect(page.getByRole('link', { name: 'Sign in' })).toBeVisible();
  await signInAtSecurity(page, endpoints, user);
  await page.goto(endpoints.platformOrigin);
  await expect(page.getByText(`Signed in as ${user.name}.`)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Sign in' })).toHaveCount(0);
});

/** Returns where an element's text begins and ends, and its line. */
const getText = (locator: Locator) =>
  locator.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const { left, right, top } = [...range.getClientRects()].at(-1) ?? new DOMRect();
    return { left, right, top };
  });

test('labels line up with the text around them', async ({ page, browser, endpoints, user, accounts }) => {
  const token = await accounts.idToken(user);
  const other = await browser.newContext();
  await signInByApi(other, endpoints, token, { 'user-agent': FIREFOX });
  await other.close();
  await signInByApi(page, endpoints, token);
  await page.setViewportSize({ width: 320, height: 800 });
  await loadSecurity(page, endpoints);
  const device = page.getByRole('list', { name: 'Devices' }).getByRole('listitem').nth(1);
  const name = await getText(device.getByText('Firefox on Windows', { exact: true }));
  // The button is on the device's second line.
  expect((await getText(device.getByText('Sign out Firefox on Windows'))).left).toBeCloseTo(name.left, 0);

  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Delete my account' }).click();
  const panel = page.getByRole('region', { name: 'Your data' }).getByRole('group');
  const field = await getText(panel.getByText('Current password', { exact: true }));
  expect((await getText(panel.getByText('Cancel'))).left).toBeCloseTo(field.left, 0);
  await panel.getByRole('button', { name: 'Cancel' }).click();

  await getSetUp(page).click();
  await confirmApp(page);
  await readCodes(page);
  const [copy, download, print] = await Promise.all(
    ['Copy codes', 'Download codes', 'Print'].map((label) => getText(page.getByText(label, { exact: true }))),
  );
  const between = (one?: { right: number }, next?: { left: number }) => (next?.left ?? 0) - (one?.right ?? 0);
  expect(between(copy, download)).toBeCloseTo(between(download, print), 0);
});

const PARTS_ON_PHONES = [
  ['sign-in', 'Sign-in'],
  ['two-step-verification', 'Two-step verification'],
  ['devices', 'Devices'],
  ['your-data', 'Your data'],
] as const;

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
  await expect(page.getByRole('region', { name: 'Devices' })).toContainText('1 device');
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
  expect(await getTop(keep)).toBeLessThan(await getTop(page.getByRole('region', { name: 'Your name' })));
  await expect(getNextStep(page)).toHaveCount(0);
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
  const owner = await registerOwner(endpoints, postBy(page, endpoints));
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
  await expect(pages.getByRole('link', { name: 'Account' })).toHaveAttribute('aria-current', 'page');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to main content' })).toBeFocused();
  await expect(page.getByRole('link', { name: 'Skip to main content' })).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
  await expect(page).toHaveURL(`${endpoints.appOrigin}/security`);
  await page.getByRole('link', { name: 'Campus' }).click();
  await expect(page).toHaveURL(`${endpoints.appOrigin}/user/courses`);
  await expect(pages.getByRole('link', { name: 'Courses' })).toHaveAttribute('aria-current', 'page');
  await pages.getByRole('link', { name: 'Account' }).click();
  await expect(page).toHaveURL(`${endpoints.appOrigin}/security`);
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
    // The rest of the page is not loaded yet.
    await expect(page.getByRole('region', { name: 'Devices' })).toHaveCount(0);
    await expect(getParts(page)).toHaveCount(0);
    await expectNoViolations(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Account and security');
    await expect(getSetUp(page)).toBeFocused();
  });

  test('the address of a part opens its row', async ({ page, endpoints, user, accounts }) => {
    await signInByApi(page, endpoints, await accounts.idToken(user));
    for (const [part, title] of PARTS_ON_PHONES) {
      await page.goto(`${endpoints.appOrigin}/security?part=${part}`);
      const heading = getPartHeading(page, title);
      await expect(heading).toBeFocused();
      await expect(heading).toBeInViewport();
      const row = page.getByRole('button', { name: title, exact: true });
      if (part !== 'sign-in') await expect(row).toHaveAttribute('aria-expanded', 'true');
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
  await expect(page.getByRole('banner')).toContainText('Zoë Martin');
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
