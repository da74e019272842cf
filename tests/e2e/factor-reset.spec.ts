// ASVS: 6.4.3, 6.3.7
// Threats: factor-reset-abused
import { giveFirstFactor } from '../support/code-page';
import { expect, test } from '../support/fixtures';
import { expectPath, pageReady, submitSignIn } from '../support/journeys';
import { enrolApp } from '../support/second-factor';
import { analyze, heading, link, send, field, readCode } from '../support/factor-reset-journeys';

test('by keyboard, and canceled on the Security page', async ({ page, browser, endpoints, user }) => {
  const app = await enrolApp(endpoints, user);
  await page.goto(`${endpoints.appOrigin}/security`);
  await submitSignIn(page, user);
  await page.getByLabel('Authentication code', { exact: true }).fill(app.codeAt());
  await expectPath(page, endpoints, '/security');
  const other = await (await browser.newContext()).newPage();
  await giveFirstFactor(other, endpoints, user);
  await link(other).focus();
  await other.keyboard.press('Enter');
  await expect(heading(other)).toBeFocused();
  await other.keyboard.press('Tab');
  await expect(send(other)).toBeFocused();
  await other.keyboard.press('Enter');
  await expect(heading(other)).toHaveText('Check your email');
  await expect(heading(other)).toBeFocused();
  await other.reload();
  await pageReady(other);
  await expect(other).toHaveTitle('Check your email | Campus');
  await field(other).focus();
  await other.keyboard.type(await readCode(endpoints, user));
  await expect(heading(other)).toHaveText('Two-step verification will be turned off');
  await other.context().close();
  await page.reload();
  await pageReady(page);
  const section = page.getByRole('main');
  await expect(
    section.getByText(/^Two-step verification will be turned off on \w+ \d+, \d{4} at .+ UTC: /),
  ).toBeVisible();
  await analyze(page);
  await section.getByRole('button', { name: 'Keep two-step verification' }).click();
  await expect(section.getByText('Two-step verification stays on.')).toBeVisible();
  await expect(page.locator('main :focus')).toHaveText('Two-step verification stays on.');
  await expect(page.getByText('Two-step verification kept on')).toBeVisible();
});
