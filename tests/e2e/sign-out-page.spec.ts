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

/** Whether the identity provider has a user in this browser. */
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
  expect(await remembered(page)).toBe('1');
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(page).toHaveURL(`${endpoints.platformOrigin}/?from=sign-out`);
  expect(await sessionStatus(endpoints, cookie)).toBe(401);
  // A response without scripts, which would sign out there as well.
  await page.goto(`${endpoints.appOrigin}/api/health/live`);
  expect(await remembered(page)).toBeNull();
  // The next sign-in does not lead where the sign-out led.
  await page.goto(getSignInUrl(endpoints));
  await submitSignIn(page, user);
  await expect(page).toHaveURL(`${endpoints.platformOrigin}/user/dashboard`);
});

test('"Stay signed in" returns without signing out', async ({ page, context, endpoints, user }) => {
  await signIn(page, endpoints, user);
  await page.goto(getSignOutUrl(endpoints, `${endpoints.platformOrigin}/user/courses/the-night-sky`));
  await page.getByRole('link', { name: 'Stay signed in' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('The night sky');
  expect(await sessionStatus(endpoints, await cookieHeader(context, endpoints))).toBe(200);
});

test('works without JavaScript', async ({ browser, endpoints, user, accounts }) => {
  const value = await accounts.createSession(user, 300);
  const context = await browser.newContext({ javaScriptEnabled: false });
  await context.addCookies([{ name: '_secure-user-session', value, url: endpoints.appOrigin, httpOnly: true }]);
  const page = await context.newPage();
  await page.goto(getSignOutUrl(endpoints, `${endpoints.platformOrigin}/`));
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(page).toHaveURL(`${endpoints.platformOrigin}/`);
  expect(await sessionStatus(endpoints, `_secure-user-session=${value}`)).toBe(401);
  await context.close();
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

test('without a session it leads straight back, and nowhere else', async ({ endpoints }) => {
  const platform = `${endpoints.platformOrigin}/courses?x=1`;
  for (const [redirectUri, location] of [
    [platform, platform],
    [undefined, '/sign-in'],
    ['https://evil.example/', '/sign-in'],
    ['//evil.example/', '/sign-in'],
  ] as const) {
    for (const method of ['GET', 'POST']) {
      const headers = { origin: endpoints.appOrigin };
      const answer = await fetch(getSignOutUrl(endpoints, redirectUri), { method, headers, redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).toEqual([303, location]);
    }
  }
});

test('a refused redirect URI: sign-in afterwards', async ({ page, endpoints, user }) => {
  await signIn(page, endpoints, user);
  await page.goto(getSignOutUrl(endpoints, 'https://evil.example/'));
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(page).toHaveURL(getSignInUrl(endpoints));
});

test('other methods are refused, and do not sign out', async ({ endpoints, user, accounts }) => {
  const cookie = `_secure-user-session=${await accounts.createSession(user, 300)}`;
  for (const method of ['PUT', 'DELETE', 'PATCH']) {
    const headers = { cookie, origin: new URL(endpoints.appOrigin).origin };
    const answer = await fetch(getSignOutUrl(endpoints), { method, headers, redirect: 'manual' });
    expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD, POST']);
    expect(await answer.text()).not.toContain(user.email);
  }
  expect(await sessionStatus(endpoints, cookie)).toBe(200);
});
