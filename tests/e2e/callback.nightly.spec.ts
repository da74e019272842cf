// Threats: open-redirect
import { test } from '../support/fixtures';
import { expectDashboard, getSignInUrl, submitSignIn } from '../support/journeys';

const HOSTILE = [
  'https://evil.example/user/dashboard',
  '//evil.example',
  'http://localhost@evil.example/',
  'http://localhost.evil.example/',
  'https:\\\\evil.example',
  'javascript:alert(1)',
  'data:text/html,<h1>hello</h1>',
  'campus://oauth-callback.evil/?x=1',
];

for (const address of HOSTILE) {
  test(`an invalid callback becomes the dashboard: ${address}`, async ({ page, endpoints, user }) => {
    await page.goto(`${getSignInUrl(endpoints)}?redirect_uri=${encodeURIComponent(address)}`);
    await submitSignIn(page, user);
    await expectDashboard(page, endpoints, user);
  });
}
