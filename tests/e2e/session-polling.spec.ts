// ASVS: 7.1.3, 7.3.2, 7.4.4, 7.6.1
import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { cookieHeader, expectSignInPage, sessionStatus, signIn } from '../support/journeys';
import { openShell, focus } from '../support/session-journeys';

const toldOfSignOut = (page: Page) => expect(page.getByText("You've been signed out").first()).toBeVisible();

test('an ended session is noticed on the next focus, and shown', async ({
  page,
  context,
  endpoints,
  user,
  accounts,
}) => {
  await signIn(page, endpoints, user);
  const cookie = await cookieHeader(context, endpoints);
  await openShell(context, endpoints, page);
  await accounts.revoke(user);
  await expect.poll(() => sessionStatus(endpoints, cookie), { timeout: 60_000 }).toBe(401);
  await focus(page);
  await expectSignInPage(page, endpoints);
  await toldOfSignOut(page);
});
