// Threats: cookie-bomb
import { expect, test } from '../support/fixtures';
import { cookieHeader, getSignInUrl, signIn } from '../support/journeys';
import { COOKIE_BUDGET } from '../../lib/shared/cookie-table';

test('links cannot set so many bytes of cookies that the server refuses the browser', async ({
  page,
  context,
  endpoints,
  user,
}) => {
  const { appOrigin, platformOrigin } = endpoints;
  await context.addCookies([{ name: 'marketing-consent', value: 'true', url: appOrigin }]);
  const campaign = Object.fromEntries(
    ['source', 'medium', 'campaign', 'term', 'content'].map((name) => [`utm_${name}`, 'a'.repeat(100)]),
  );
  const toUrl = (path: string, query: Record<string, string>) =>
    `${appOrigin}${path}?${new URLSearchParams(query).toString()}`;
  /** Opens an address for the cookies that the server sets. */
  const open = (path: string, query: Record<string, string>) => page.request.get(toUrl(path, query));
  // The page redirects to the provider automatically, but not again before there is a result.
  await page.goto(`${appOrigin}/partner-auth/initiate?partner=acme`);
  await page.waitForURL(/emulator\/auth\/handler/);
  for (const filler of ['é', '%']) {
    const redirect_uri = `${platformOrigin}/?${filler.repeat(Math.floor(2_000 / encodeURIComponent(filler).length))}`;
    const mobile = { redirect_uri: `campus://oauth-callback?${filler.repeat(400)}`, code_challenge: 'c'.repeat(43) };
    for (const length of [512, 100]) await open('/mobile/account-selection', { ...mobile, state: '%'.repeat(length) });
    await open('/mobile/account-selection', {
      ...mobile,
      redirect_uri: 'campus://oauth-callback',
      state: '%'.repeat(512),
    });
    for (const length of [2_000, 900])
      await open('/actions', { mode: 'resetPassword', oobCode: 'a'.repeat(length), continueUrl: redirect_uri });
    // These are separate links, because the server refuses a link of more than 16 KiB with its cookies.
    const queries: Record<string, string>[] = [{ ...campaign, utm_id: filler }, { redirect_uri }];
    for (const query of queries) {
      await page.goto(toUrl('/sign-in', query));
      await page.locator('html[data-ready]').waitFor({ state: 'attached' });
      // The campaign is recorded by a part of the page that is loaded later.
      const hasCampaign = async () => (await context.cookies()).some(({ name }) => name === 'kktc');
      if (query === queries[0]) await expect.poll(hasCampaign).toBe(true);
    }
    for (const length of [2_000, 180])
      await open('/partner-auth/initiate', { partner: 'acme', redirect_uri: redirect_uri.slice(0, length) });
  }
  const header = await cookieHeader(context, endpoints);
  // The links had an effect.
  for (const name of [
    'callbackUrl',
    'mobile-request',
    'email-action',
    'kktc',
    'sso-login-init',
    'oidc_original_callback_url',
  ])
    expect(header).toContain(`${name}=`);
  expect(header.length).toBeGreaterThan(3_000);
  expect(header.length).toBeLessThanOrEqual(COOKIE_BUDGET.links);
  expect((await page.goto(getSignInUrl(endpoints)))?.status()).toBe(200);
  await signIn(page, endpoints, user);
});

test('a callback of 2048 characters is kept', async ({ page, context, endpoints }) => {
  const start = `${endpoints.platformOrigin}/?`;
  const callback = start + '&'.repeat(2_048 - start.length);
  await page.goto(`${getSignInUrl(endpoints)}?redirect_uri=${encodeURIComponent(callback)}`);
  const findCallback = async () => (await context.cookies()).find(({ name }) => name === 'callbackUrl')?.value;
  await expect.poll(findCallback).toBe(callback);
});
