// ASVS: 3.4.5, 3.5.3
// Threats: foreign-confirmation, email-scanner, code-leak
import { askForReset, linkFor } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';

test('a code is removed from the URL before any page is shown, and stays out of the history', async ({
  page,
  endpoints,
  user,
}) => {
  await askForReset(page, endpoints, user.email);
  const link = await linkFor(endpoints, user.email);
  const code = new URL(link).searchParams.get('oobCode') ?? '';
  const seen: string[] = [];
  page.on('request', (request) => seen.push(request.url(), request.headers().referer ?? ''));
  await page.goto(link);
  await expect(page.getByLabel('New password', { exact: true })).toBeVisible();
  const withCode = seen.filter((address) => address.includes(code));
  expect(withCode).toEqual([link]);
  const kept = await page.evaluate(() =>
    JSON.stringify([location.href, history.state, document.referrer, { ...localStorage }, { ...sessionStorage }]),
  );
  expect(kept).not.toContain(code);
  await page.reload();
  await expect(page.getByLabel('New password', { exact: true })).toBeVisible();
});
