// Threats: planted-passkey
import { addAuthenticator } from '../support/authenticator';
import { expect, test } from '../support/fixtures';
import { expectDashboard, expectPath, getDashboardUrl, pageReady, submitSignIn } from '../support/journeys';

test.describe('after a sign-in with the password', () => {
  test('a browser that does not is offered one; "Not now" leads on, and is remembered', async ({
    page,
    endpoints,
    user,
  }) => {
    await addAuthenticator(page);
    await page.goto(getDashboardUrl(endpoints));
    await pageReady(page);
    await submitSignIn(page, user);
    await expectPath(page, endpoints, '/sign-in/add-passkey');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in faster next time');
    await page.getByRole('button', { name: 'Not now' }).click();
    await expectDashboard(page, endpoints, user);
    await page.context().clearCookies();
    await page.goto(getDashboardUrl(endpoints));
    await pageReady(page);
    await submitSignIn(page, user);
    await expectDashboard(page, endpoints, user);
  });

  test('the offer creates one, and leads on', async ({ page, endpoints, user }) => {
    const authenticator = await addAuthenticator(page);
    await page.goto(getDashboardUrl(endpoints));
    await pageReady(page);
    await submitSignIn(page, user);
    await page.getByRole('button', { name: 'Create a passkey' }).click();
    await expectDashboard(page, endpoints, user);
    expect(await authenticator.credentials()).toMatchObject([{ userName: user.email }]);
  });
});
