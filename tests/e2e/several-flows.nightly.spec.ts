// Threats: csrf, login-csrf
import type { BrowserContext, Page } from '@playwright/test';
import {
  askForReset,
  codeFor,
  fillNewPassword,
  freshEmail,
  getAlert,
  linkFor,
  NEW_PASSWORD,
  register,
} from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { expectDashboard, expectPath, pageReady } from '../support/journeys';
import { mailsBesidesAlerts } from '../support/mail';
import { startTimedApp } from '../support/timed-app';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

const confirmPath = '/registration/confirm';
const resetPath = '/forget-password/reset';

async function enterCode(page: Page, endpoints: Endpoints, email: string, count = 1): Promise<void> {
  await page.getByLabel('Code', { exact: true }).fill(await codeFor(endpoints, email, count));
}

async function resetPassword(page: Page, endpoints: Endpoints, email: string, password = NEW_PASSWORD): Promise<void> {
  await enterCode(page, endpoints, email);
  await fillNewPassword(page, password);
  await page.getByRole('button', { name: 'Reset password' }).click();
}

const getHeading = (page: Page) => page.getByRole('heading', { level: 1 });

for (const order of ['first to last', 'last to first'])
  test(`two registrations in two tabs, completed ${order}`, async ({ page, context, endpoints, accounts }) => {
    const tabs = [
      { tab: page, email: freshEmail() },
      { tab: await context.newPage(), email: freshEmail() },
    ];
    for (const { tab, email } of tabs) await register(tab, endpoints, email);
    for (const { tab, email } of order === 'first to last' ? tabs : tabs.toReversed()) {
      await tab.reload();
      await expect(tab.getByText(email)).toBeVisible();
      await enterCode(tab, endpoints, email);
      await expectPath(tab, endpoints, '/registration/success');
    }
    for (const { email } of tabs) expect(await accounts.isVerified(email)).toBe(true);
  });

for (const order of ['first to last', 'last to first'])
  test(`two password resets in two tabs, completed ${order}`, async ({ page, context, endpoints, accounts }) => {
    const tabs = [
      { tab: page, user: await accounts.create() },
      { tab: await context.newPage(), user: await accounts.create() },
    ];
    for (const { tab, user } of tabs) await askForReset(tab, endpoints, user.email);
    for (const { tab, user } of order === 'first to last' ? tabs : tabs.toReversed()) {
      await expect(tab.getByText(user.email)).toBeVisible();
      await tab.reload();
      await expect(tab.getByText(user.email)).toBeVisible();
      await resetPassword(tab, endpoints, user.email);
      await expectPath(tab, endpoints, '/forget-password/confirmation');
    }
    for (const { user } of tabs) await accounts.idToken({ ...user, password: NEW_PASSWORD });
  });

test('two flows started at the same moment are both kept', async ({ page, context, endpoints }) => {
  const other = await context.newPage();
  const [first, second] = [freshEmail(), freshEmail()];
  // The first response gives a browser the secret that seals its flows. If two flows begin before it, only one is kept.
  await register(page, endpoints, freshEmail());
  await Promise.all([register(page, endpoints, first), register(other, endpoints, second)]);
  await Promise.all([page.reload(), other.reload()]);
  await expect(page.getByText(first)).toBeVisible();
  await expect(other.getByText(second)).toBeVisible();
});

test('"Resend code" emails the address that its tab shows', async ({ page, context, endpoints: shared, accounts }) => {
  const { endpoints, advance, stop } = await startTimedApp(shared);
  const other = await context.newPage();
  const [first, second] = [await accounts.create(), await accounts.create()];
  const [one, two] = [freshEmail(), freshEmail()];
  await register(page, endpoints, one);
  await register(other, endpoints, two);
  await advance(31);
  await page.reload();
  await page.getByRole('button', { name: 'Resend code' }).click();
  await expect(page.getByText("We've sent a new code.")).toBeVisible();
  expect(await mailsBesidesAlerts(endpoints, one, 2)).toHaveLength(2);
  expect(await mailsBesidesAlerts(endpoints, two)).toHaveLength(1);
  await enterCode(page, endpoints, one, 2);
  await expectPath(page, endpoints, '/registration/success');

  await askForReset(page, endpoints, first.email);
  await askForReset(other, endpoints, second.email);
  await advance(62);
  await page.reload();
  await page.getByRole('button', { name: 'Resend code' }).click();
  await expect(page.getByText("We've sent a new code.")).toBeVisible();
  expect(await mailsBesidesAlerts(endpoints, first.email, 2)).toHaveLength(2);
  expect(await mailsBesidesAlerts(endpoints, second.email)).toHaveLength(1);
  await stop();
});

test('attempts are counted for each flow', async ({ page, context, endpoints }) => {
  const other = await context.newPage();
  await register(page, endpoints, freshEmail());
  await register(other, endpoints, freshEmail());
  for (const left of [4, 3]) {
    await page.getByLabel('Code', { exact: true }).fill('');
    await page.getByLabel('Code', { exact: true }).fill('0A0A0A');
    await expect(getAlert(page)).toContainText(`${left} attempts left`);
  }
  await other.getByLabel('Code', { exact: true }).fill('0A0A0A');
  await expect(getAlert(other)).toContainText('4 attempts left');
});

test('going back to the code after success says that it is done, and leads on', async ({ page, endpoints }) => {
  const email = freshEmail();
  await register(page, endpoints, email);
  await enterCode(page, endpoints, email);
  await expectPath(page, endpoints, '/registration/success');
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.url()));
  await page.goBack();
  await expect(getHeading(page)).toHaveText('Your account is ready');
  await expect(page.getByText(email)).toBeVisible();
  await expect(getAlert(page)).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'Continue' })).toBeVisible();
  expect(sent.filter((url) => url.endsWith('/api/registration/confirm'))).toEqual([]);
});

test('a completed code page restored by the Back button leads on', async ({ page, endpoints }) => {
  const email = freshEmail();
  await register(page, endpoints, email);
  // The document stays, as it does in the back/forward cache.
  const success = '**/registration/success*';
  await page.route(success, (route) => route.fulfill({ status: 204 }));
  const tried = page.waitForResponse(/\/registration\/success$/);
  await enterCode(page, endpoints, email);
  await tried;
  await page.unroute(success);
  // Delayed, because the page leaves immediately, before the evaluation could report.
  await page.evaluate(() => {
    setTimeout(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  });
  await expect(getHeading(page)).toHaveText('Your account is ready');
  await expect(page.getByText(email)).toBeVisible();
});

/** Opens a tab that other tabs cannot tell of a sign-in, as in a browser without this API. Otherwise it leads on by itself. */
async function openUntold(context: BrowserContext, url: string): Promise<Page> {
  const tab = await context.newPage();
  await tab.addInitScript(() => void Reflect.deleteProperty(globalThis, 'BroadcastChannel'));
  await tab.goto(url);
  return tab;
}

test('a code used in one tab leads on in the other', async ({ page, endpoints, context }) => {
  const email = freshEmail();
  await register(page, endpoints, email);
  const second = await openUntold(context, page.url());
  const code = await codeFor(endpoints, email);
  await page.getByLabel('Code', { exact: true }).fill(code);
  await expectPath(page, endpoints, '/registration/success');
  await second.getByLabel('Code', { exact: true }).fill(code);
  await expect(getHeading(second)).toHaveText('Your account is ready');
  await expect(second.getByText(email)).toBeVisible();
  await expect(second.getByRole('link', { name: 'Continue' })).toBeVisible();
});

test('a wrong code in a tab whose flow was completed elsewhere leads on, too', async ({ page, endpoints, context }) => {
  const email = freshEmail();
  await register(page, endpoints, email);
  const second = await openUntold(context, page.url());
  await enterCode(page, endpoints, email);
  await expectPath(page, endpoints, '/registration/success');
  await second.getByLabel('Code', { exact: true }).fill('0A0A0A');
  await expect(getHeading(second)).toHaveText('Your account is ready');
});

test('the code signs in after the link confirmed the email in another tab', async ({ page, endpoints, context }) => {
  const email = freshEmail();
  await register(page, endpoints, email);
  const other = await openUntold(context, await linkFor(endpoints, email));
  await expectPath(other, endpoints, '/registration/success');
  await enterCode(page, endpoints, email);
  await expectPath(page, endpoints, '/registration/success');
  await expect(page.getByRole('link', { name: 'Continue' })).toBeVisible();
});

test('the form keeps the name and email on going back, never the password', async ({ page, endpoints }) => {
  const email = freshEmail();
  await register(page, endpoints, email, 'Mia Moreau');
  await page.goBack();
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Mia Moreau');
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(email);
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('');
  await page.reload();
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Mia Moreau');
  const stored = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
  expect(stored).toContain('Mia Moreau');
  expect(stored).not.toContain(NEW_PASSWORD);
});

test('the name is forgotten once the account is confirmed', async ({ page, endpoints }) => {
  const email = freshEmail();
  await register(page, endpoints, email, 'Mia Moreau');
  await enterCode(page, endpoints, email);
  await expectPath(page, endpoints, '/registration/success');
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain('Mia Moreau');
});

for (const then of ['reloaded', 'used'])
  test(`a reset code ${then} after the link in another tab says that the password was changed`, async ({
    page,
    context,
    endpoints,
    user,
    accounts,
  }) => {
    await askForReset(page, endpoints, user.email);
    const other = await context.newPage();
    await other.goto(await linkFor(endpoints, user.email));
    await fillNewPassword(other);
    await other.getByRole('button', { name: 'Reset password' }).click();
    await expectPath(other, endpoints, '/forget-password/confirmation');
    if (then === 'reloaded') await page.reload();
    else {
      await page.getByLabel('Code', { exact: true }).fill('0A0A0A');
      await fillNewPassword(page, 'another-quiet-lantern-43');
      await page.getByRole('button', { name: 'Reset password' }).click();
    }
    await expect(getHeading(page)).toHaveText('Your password was already changed');
    await expect(page.getByText(user.email)).toBeVisible();
    await accounts.idToken({ ...user, password: NEW_PASSWORD });
    await page.getByRole('link', { name: 'Continue' }).click();
    await expectDashboard(page, endpoints, user);
  });

test('going back to the reset code after success says that the password was changed', async ({
  page,
  endpoints,
  user,
}) => {
  await askForReset(page, endpoints, user.email);
  await resetPassword(page, endpoints, user.email);
  await expectPath(page, endpoints, '/forget-password/confirmation');
  await page.goBack();
  await expect(getHeading(page)).toHaveText('Your password was already changed');
  // The page before it asks for another code, and shows no used one.
  await page.goBack();
  await expect(getHeading(page)).toHaveText('Forgot your password?');
});

test('a flow of another browser, or a made-up one, shows no email', async ({ page, endpoints, browser }) => {
  const email = freshEmail();
  await register(page, endpoints, email);
  const foreign = page.url();
  const context = await browser.newContext();
  const other = await context.newPage();
  const own = freshEmail();
  await register(other, endpoints, own);
  for (const address of [foreign, `${endpoints.appOrigin}${confirmPath}?flow=made-up-flow`]) {
    await other.goto(address);
    await expect(getHeading(other)).toHaveText('Request a new code');
    await expect(other.getByText(email)).toHaveCount(0);
    await expect(other.getByText(own)).toHaveCount(0);
  }
  await other.goto(`${endpoints.appOrigin}${resetPath}?flow=made-up-flow`);
  await expect(getHeading(other)).toHaveText('Request a new code');
  await context.close();
});

test('of five flows the oldest gives way, and its tab says what to do', async ({ page, context, endpoints }) => {
  const tabs: { tab: Page; email: string }[] = [];
  for (let count = 0; count < 5; count += 1) {
    const flow = { tab: count === 0 ? page : await context.newPage(), email: freshEmail() };
    await (count % 2 === 0 ? register : askForReset)(flow.tab, endpoints, flow.email);
    tabs.push(flow);
  }
  const [oldest, ...kept] = tabs;
  for (const { tab, email } of kept) {
    await tab.reload();
    await expect(tab.getByText(email)).toBeVisible();
  }
  await oldest?.tab.reload();
  await expect(getHeading(oldest?.tab ?? page)).toHaveText('Request a new code');
});

test('an address without a flow, as before, shows the newest', async ({ page, context, endpoints }) => {
  const [first, second] = [freshEmail(), freshEmail()];
  await register(page, endpoints, first);
  await register(await context.newPage(), endpoints, second);
  await page.goto(`${endpoints.appOrigin}${confirmPath}`);
  await expect(page.getByText(second)).toBeVisible();
  await pageReady(page);
  await register(await context.newPage(), endpoints, freshEmail());
  // The page has adopted the flow.
  await page.reload();
  await expect(page.getByText(second)).toBeVisible();
});

test('each sign-in link signs in the address it was sent to', async ({ page, context, endpoints, accounts }) => {
  const first = await accounts.create();
  const second = await accounts.create();
  for (const user of [first, second]) {
    const tab = await context.newPage();
    await tab.goto(`${endpoints.appOrigin}/sign-in/with-email-link`);
    await tab.getByLabel('Email', { exact: true }).fill(user.email);
    await tab.getByRole('button', { name: 'Email me a sign-in link' }).click();
    await expect(getHeading(tab)).toHaveText('Check your email');
  }
  await page.goto(await linkFor(endpoints, first.email));
  await expectDashboard(page, endpoints, first);
  await page.goto(await linkFor(endpoints, second.email));
  await page.getByRole('button', { name: 'Sign out and use the link' }).click();
  await expectDashboard(page, endpoints, second);
});
