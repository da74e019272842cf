// ASVS: 3.5.1, 7.4.1, 7.4.4
// Threats: csrf, foreign-sign-out, open-redirect
import { expect, test } from '../support/fixtures';
import { cookieHeader, getSignInUrl, sessionStatus, signIn } from '../support/journeys';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

const getSignOutUrl = ({ appOrigin }: Endpoints, redirectUri?: string) => {
  const address = new URL('/sign-out', appOrigin);
  if (redirectUri !== undefined) address.searchParams.set('redirect_uri', redirectUri);
  return address.href;
};

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

test('without a session it leads straight back, and nowhere else', async ({ endpoints }) => {
  const platform = `${endpoints.platformOrigin}/courses?x=1`;
  for (const [redirectUri, location] of [
    [platform, platform],
    [undefined, null],
    ['https://evil.example/', null],
    ['//evil.example/', null],
  ] as const) {
    for (const [method, signInPage] of [
      ['GET', '/sign-in'],
      ['POST', '/sign-in?notification=SignedOut'],
    ]) {
      const headers = { origin: endpoints.appOrigin };
      const answer = await fetch(getSignOutUrl(endpoints, redirectUri), { method, headers, redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).toEqual([303, location ?? signInPage]);
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
