import { getAlert, linkFor, askForLink } from '../support/account-journeys';
import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { expectDashboard } from '../support/journeys';

test('the link signs in on the same device, and the callback is kept', async ({ page, endpoints, user }) => {
  await askForLink(page, endpoints, user.email);
  await expectNoViolations(page);
  await page.goto(await linkFor(endpoints, user.email));
  await expect(page).not.toHaveURL(/oobCode/);
  // This browser knows the email address, so the page does not request it.
  await expect(page.getByLabel('Email', { exact: true })).toHaveCount(0);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expectDashboard(page, endpoints, user);
});

test('the link signs in on another device, which is asked for the address', async ({
  page,
  browser,
  endpoints,
  user,
  accounts,
}) => {
  await askForLink(page, endpoints, user.email);
  const phone = await (await browser.newContext()).newPage();
  await phone.goto(await linkFor(endpoints, user.email));
  // A wrong email address does not consume the link, and the message is the same whether or not it has an account.
  const stranger = await accounts.create();
  for (const wrong of ['unknown-user@campus.test', stranger.email]) {
    await phone.getByLabel('Email', { exact: true }).fill(wrong);
    const answer = phone.waitForResponse(`${endpoints.appOrigin}/api/actions/sign-in`);
    await phone.getByRole('button', { name: 'Sign in', exact: true }).click();
    expect((await answer).status()).toBe(400);
    await expect(getAlert(phone)).toHaveText(
      'This link was sent to another email address. Enter the one it was sent to.',
    );
  }
  await phone.getByLabel('Email', { exact: true }).fill(user.email);
  await phone.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expectDashboard(phone, endpoints, user);
  await phone.context().close();
});
