import { fillNewPassword } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { cookieHeader, expectDashboard, sessionStatus, submitSignIn } from '../support/journeys';
import { startOtherApp } from '../../scripts/lib/stack.mjs';

test('a legacy account chooses a new password before anything else: V3FirstLogin', async ({
  page,
  context,
  endpoints: shared,
  accounts,
}) => {
  const { endpoints, stop } = await startOtherApp(shared, { NEXT_PUBLIC_ROLLOUT_MODE: 'V3FirstLogin' });
  const user = await accounts.create();
  await accounts.markLegacy(user);
  await page.goto(`${endpoints.appOrigin}/sign-in`);
  await submitSignIn(page, user);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/first-login-reset-password`);
  expect(await sessionStatus(endpoints, await cookieHeader(context, endpoints))).toBe(401);
  await fillNewPassword(page);
  await page.getByRole('button', { name: 'Reset password' }).click();
  await expectDashboard(page, endpoints, user);
  expect((await context.cookies()).find(({ name }) => name === 'legacy-user-status')?.value).toBe('v3');
  await stop();
});
