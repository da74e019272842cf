import { expectNoViolations } from '../support/axe';
import { codeField, expectCodePage } from '../support/code-page';
import { expect, test } from '../support/fixtures';
import { getDashboardUrl, expectDashboard, signIn } from '../support/journeys';
import { signInAtProvider } from '../support/provider-window';
import { buildLink, newPupil } from '../support/partner-journeys';
import { enrolApp } from '../support/second-factor';

test('an invalid callback becomes the dashboard', async ({ page, endpoints }) => {
  const pupil = newPupil();
  await page.goto(buildLink(endpoints, 'acme', 'https://evil.example/'));
  await page.waitForURL(/emulator\/auth\/handler/);
  await signInAtProvider(page, pupil);
  await expectDashboard(page, endpoints, pupil);
});

test('a link opened in the session of another account signs in with the partner', async ({ page, endpoints, user }) => {
  const pupil = newPupil();
  await signIn(page, endpoints, user);
  await page.goto(buildLink(endpoints, 'acme', getDashboardUrl(endpoints)));
  await page.waitForURL(/emulator\/auth\/handler/);
  await signInAtProvider(page, pupil);
  await expectDashboard(page, endpoints, pupil);
});

test('a link opened in the session of another account asks for its own second factor', async ({
  page,
  endpoints,
  user,
  accounts,
}) => {
  const pupil = await accounts.create(newPupil());
  const app = await enrolApp(endpoints, pupil);
  await signIn(page, endpoints, user);
  await page.goto(buildLink(endpoints, 'acme', getDashboardUrl(endpoints)));
  await page.waitForURL(/emulator\/auth\/handler/);
  await signInAtProvider(page, pupil);
  await expectCodePage(page, endpoints);
  await codeField(page).fill(app.codeAt());
  await expectDashboard(page, endpoints, pupil);
});

test('an unfinished start is not repeated automatically', async ({ page, endpoints }) => {
  await page.goto(buildLink(endpoints, 'acme', getDashboardUrl(endpoints)));
  await page.waitForURL(/emulator\/auth\/handler/);
  await page.goto(buildLink(endpoints, 'acme', getDashboardUrl(endpoints)));
  await expect(page.getByText("didn't finish")).toBeVisible();
  const pupil = newPupil();
  await page.getByRole('button', { name: 'Continue with Acme' }).click();
  await page.waitForURL(/emulator\/auth\/handler/);
  await signInAtProvider(page, pupil);
  await expectDashboard(page, endpoints, pupil);
});

for (const partner of ['unknown', 'closed', '../acme', 'constructor']) {
  test(`the link of partner ${partner} shows an error`, async ({ page, endpoints }) => {
    const answer = await page.goto(buildLink(endpoints, partner, getDashboardUrl(endpoints)));
    expect(answer?.status()).toBe(404);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText("This sign-in link doesn't work");
    await expectNoViolations(page);
    await page.getByRole('link', { name: 'Go to sign-in' }).click();
    await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  });
}
