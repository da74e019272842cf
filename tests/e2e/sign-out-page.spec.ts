// ASVS: 3.5.1, 7.4.1, 7.4.4
// Threats: csrf, foreign-sign-out, open-redirect
import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { cookieHeader, getSignInUrl, sessionStatus, signIn, submitSignIn } from '../support/journeys';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

const getSignOutUrl = ({ appOrigin }: Endpoints, redirectUri?: string) => {
  const address = new URL('/sign-out', appOrigin);
  if (redirectUri !== undefined) address.searchParams.set('redirect_uri', redirectUri);
  return address.href;
};

/** Returns whether the identity provider has a user in this browser. */
const remembered = (page: Page) => page.evaluate(() => localStorage.getItem('provider-signed-in'));

test('asks before it signs out, also at the identity provider, and returns to the platform', async ({
  page,
  context,
  endpoints,
  user,
}) => {
  await signIn(page, endpoints, user);
  const cookie = await cookieHeader(context, endpoints);
  const response = await page.goto(getSignOutUrl(endpoints, `${endpoints.platformOrigin}/?from=sign-out`));
  expect(response?.headers()).toMatchObject({ 'x-robots-tag': 'noindex', 'cache-control': 'private, no-store' });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign out of Campus?');
  await expect(page.getByText(user.email)).toBeVisible();
  expect(await sessionStatus(endpoints, cookie)).toBe(200);
  // Once it is idle, the page signs in at the identity provider.
  await expect.poll(() => remembered(page)).toBe('1');
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(page).toHaveURL(`${endpoints.platformOrigin}/?from=sign-out`);
  expect(await sessionStatus(endpoints, cookie)).toBe(401);
  // This response has no scripts, which would sign out there as well.
  await page.goto(`${endpoints.appOrigin}/api/health/live`);
  expect(await remembered(page)).toBeNull();
  // The next sign-in does not lead to the destination of the sign-out.
  await page.goto(getSignInUrl(endpoints));
  await submitSignIn(page, user);
  await expect(page).toHaveURL(`${endpoints.platformOrigin}/user/dashboard`);
});

test('a form on another page does not sign out', async ({ endpoints, user, accounts }) => {
  const cookie = `_secure-user-session=${await accounts.createSession(user, 300)}`;
  for (const origin of ['https://evil.example', endpoints.platformOrigin, 'null', null]) {
    const headers = { cookie, ...(origin !== null && { origin }) };
    const body = new URLSearchParams({ any: 'thing' });
    const answer = await fetch(getSignOutUrl(endpoints), { method: 'POST', headers, body, redirect: 'manual' });
    expect([origin, answer.status, answer.headers.getSetCookie()]).toEqual([origin, 403, []]);
    expect(await answer.text()).toContain('sign you out. You may still be signed in.');
  }
  expect(await sessionStatus(endpoints, cookie)).toBe(200);
});
