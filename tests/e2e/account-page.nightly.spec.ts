import type { BrowserContext, Locator } from '@playwright/test';
import { getPartHeading, getParts, getStatus, loadSecurity, signInAtSecurity } from '../support/account-journeys';
import { tokenBy } from '../support/accounts-client';
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { readCode } from '../support/factor-reset-journeys';
import { signIn, signInByApi } from '../support/journeys';
import { scheduleDeletion } from '../support/scheduled-deletion';
import { enrolApp } from '../support/second-factor';
import { confirmApp, getSetUp, readCodes } from '../support/second-factor-journeys';

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
    await expect(getParts(page).locator('[aria-current]')).toHaveText('Sign-in');
  });

test('several warnings at once stand in order above everything else, in both themes', async ({
  page,
  browser,
  endpoints,
  user,
  accounts,
}) => {
  // A browser that is itself new for the account is not asked about others.
  await signInByApi(page, endpoints, await accounts.idToken(user));
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
        // The browsers of the deletion, of the app and of the reset.
        ...Array.from({ length: 3 }, () => /^Was this you\? .*It was meThis wasn't me$/),
        /^Only 1 recovery code is left\. .*Get new recovery codes$/,
      ]);
      expect((await warnings.last().boundingBox())?.y ?? 0).toBeLessThan((await getStatus(page).boundingBox())?.y ?? 0);
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
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Security');
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

/** Where the text of an element begins and ends, and on which line. */
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
  // Its second line.
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
