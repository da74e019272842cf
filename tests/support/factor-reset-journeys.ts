import { getAlert } from './account-journeys';
import { expectNoViolations } from './axe';
import { giveFirstFactor } from './code-page';
import { expectDashboard } from './journeys';
import { linksIn, wrongCode } from './mail';
import { enrolApp } from './second-factor';
import type { Page } from '@playwright/test';
import type { Endpoints } from '../../scripts/lib/stack.mjs';
import { tokenBy, type TestUser } from './accounts-client';
import { CookieJar } from './client';
import { expect } from './fixtures';
import { codeIn, mailsTo } from './mail';

export const heading = (page: Page) => page.getByRole('heading', { level: 1 });

export const link = (page: Page) => page.getByRole('button', { name: 'Lost your app and your recovery codes?' });

export const send = (page: Page) => page.getByRole('button', { name: 'Email me a code' });

export const field = (page: Page) => page.getByLabel('Code', { exact: true });

export async function readMail({ mailboxUrl }: Endpoints, { email }: TestUser, subject: RegExp) {
  const find = async () => (await mailsTo({ mailboxUrl }, email)).filter((mail) => subject.test(mail.subject)).at(-1);
  await expect.poll(find).toBeDefined();
  const mail = await find();
  if (!mail) throw new Error('The email is gone');
  return mail;
}

export const readCode = async (endpoints: Endpoints, user: TestUser) =>
  codeIn(await readMail(endpoints, user, /is your Campus code to turn off/));

/** Expects no accessibility violation, and no page wider than the screen. */
export async function analyze(page: Page): Promise<void> {
  await expectNoViolations(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
    page.viewportSize()?.width ?? 0,
  );
}

/** Loses everything and finds it again: requests the reset by email, and cancels it by the link of the next email. */
export async function loseAndFind(
  page: Page,
  endpoints: Endpoints,
  user: TestUser,
  { theme, width }: { theme: 'light' | 'dark'; width: number },
): Promise<void> {
  const app = await enrolApp(endpoints, user);
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: theme });
  await giveFirstFactor(page, endpoints, user);
  await link(page).click();
  await expect(heading(page)).toBeFocused();
  await analyze(page);
  await send(page).click();
  await expect(heading(page)).toHaveText('Check your email');
  await expect(heading(page)).toBeFocused();
  const code = await readCode(endpoints, user);
  await field(page).fill(wrongCode(code));
  await expect(getAlert(page)).toContainText('You have 4 attempts left.');
  await analyze(page);
  await field(page).fill(code);
  await expect(heading(page)).toHaveText('Two-step verification will be turned off');
  await expect(heading(page)).toBeFocused();
  await expect(page.getByText(/^You can sign in without a code from \w+ \d+, \d{4}, \d+:\d\d [AP]M\.$/)).toBeVisible();
  await analyze(page);
  const mail = await readMail(endpoints, user, /will be turned off$/);
  await page.goto(linksIn(mail)[0] ?? '');
  await expect(heading(page)).toHaveText('Keep two-step verification');
  await analyze(page);
  await page.getByRole('button', { name: 'Keep two-step verification' }).click();
  await expect(heading(page)).toHaveText('Two-step verification stays on');
  await expect(heading(page)).toBeFocused();
  await analyze(page);
  await readMail(endpoints, user, /stays on$/);
  await page.goto(linksIn(mail)[0] ?? '');
  await expect(heading(page)).toHaveText('This request was canceled');
  await giveFirstFactor(page, endpoints, user);
  await page.getByLabel('Authentication code', { exact: true }).fill(app.codeAt());
  await expectDashboard(page, endpoints, user);
}

/** Requests that the second factor is turned off in 72 hours, as its owner does in another browser after losing it. */
export async function scheduleFactorReset(endpoints: Endpoints, user: TestUser): Promise<void> {
  const browser = new CookieJar({ origin: endpoints.appOrigin, 'sec-fetch-site': 'same-origin' });
  const call = (path: string, body: object) => browser.post(`${endpoints.appOrigin}/api/${path}`, body);
  await call('create-user-session', { token: await tokenBy(endpoints, 'signInWithPassword', user) });
  await call('second-factor/reset-code', {});
  const answer = await call('second-factor/reset', { code: await readCode(endpoints, user) });
  if (answer.status !== 200) throw new Error(`reset: ${JSON.stringify(answer.body)}`);
}
