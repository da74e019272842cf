// Threats: forged-passkey, planted-passkey
import { addAuthenticator } from '../support/authenticator';
import { expect, test } from '../support/fixtures';
import { expectDashboard, getDashboardUrl, getSignInUrl, pageReady } from '../support/journeys';
import { createPasskey, passkeyButton, withoutAutofill, expectNotice } from '../support/passkey-journeys';

test('a passkey in the autofill of the email field signs in', async ({ page, endpoints, user }) => {
  const authenticator = await addAuthenticator(page);
  await authenticator.add((await createPasskey(endpoints, user)).key);
  // The virtual authenticator chooses at once, as a learner does in the list of the field.
  await page.goto(getDashboardUrl(endpoints));
  await expectDashboard(page, endpoints, user);
});

test('the button signs in, and the password manager learns the account', async ({ page, endpoints, user }) => {
  await withoutAutofill(page);
  const authenticator = await addAuthenticator(page);
  await authenticator.add((await createPasskey(endpoints, user)).key);
  await page.goto(getDashboardUrl(endpoints));
  await pageReady(page);
  await passkeyButton(page).click();
  await expectDashboard(page, endpoints, user);
  await expect.poll(async () => (await authenticator.credentials())[0]?.userName).toBe(user.email);
});

test('from the press to the dashboard there are fewer requests than with a password, and no identity SDK', async ({
  page,
  endpoints,
  user,
}) => {
  await page.addInitScript(() => {
    // As a real browser: its autofill waits for the visitor, and ends when the button is pressed.
    const { credentials } = navigator;
    const get = credentials.get.bind(credentials);
    credentials.get = (options) =>
      options?.mediation === 'conditional'
        ? new Promise((_, reject) =>
            options.signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError'))),
          )
        : get(options);
  });
  const authenticator = await addAuthenticator(page);
  await authenticator.add((await createPasskey(endpoints, user)).key);
  await page.goto(`${getSignInUrl(endpoints)}?redirect_uri=${encodeURIComponent(getDashboardUrl(endpoints))}`);
  await pageReady(page);
  await passkeyButton(page).hover();
  await page.waitForLoadState('networkidle');
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'OPTIONS') asked.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  await passkeyButton(page).click();
  await page.waitForURL(getDashboardUrl(endpoints), { waitUntil: 'commit' });
  const untilDashboard = asked.slice(0, asked.indexOf('GET /user/dashboard') + 1);
  expect(untilDashboard).toEqual(['POST /api/passkeys/sign-in', 'GET /user/dashboard']);
  await expectDashboard(page, endpoints, user);
});

test.describe('a response that the server refuses', () => {
  test.beforeEach(({ page }) => withoutAutofill(page));

  test('a forged signature', async ({ page, endpoints, user }) => {
    const authenticator = await addAuthenticator(page);
    await authenticator.add((await createPasskey(endpoints, user)).key);
    await authenticator.forge({ isBogusSignature: true });
    await page.goto(getSignInUrl(endpoints));
    await pageReady(page);
    await passkeyButton(page).click();
    await expectNotice(page, "We couldn't verify this passkey.");
    await authenticator.forge({ isBogusSignature: false });
    await passkeyButton(page).click();
    await expectDashboard(page, endpoints, user);
  });

  test('of a foreign origin: its page cannot ask, and its response is refused', async ({ page, endpoints, user }) => {
    const authenticator = await addAuthenticator(page);
    const { key, authenticator: software } = await createPasskey(endpoints, user);
    await authenticator.add(key);
    await page.goto(`${endpoints.platformOrigin}/`);
    const code = await page.evaluate(
      async (address) =>
        fetch(address, { method: 'POST', credentials: 'include' }).then(
          ({ status }) => status,
          () => 'blocked',
        ),
      `${endpoints.appOrigin}/api/passkeys/sign-in-options`,
    );
    expect(code).toBe('blocked');
    const { options, challenge } = (await (
      await page.request.post(`${endpoints.appOrigin}/api/passkeys/sign-in-options`, {
        headers: { origin: endpoints.appOrigin },
      })
    ).json()) as { options: { challenge: string; rpId: string }; challenge: string };
    const response = software.get(options, { origin: endpoints.platformOrigin });
    const answer = await page.request.post(`${endpoints.appOrigin}/api/passkeys/sign-in`, {
      headers: { origin: endpoints.appOrigin },
      data: { challenge, response },
    });
    expect([answer.status(), ((await answer.json()) as { code: string }).code]).toEqual([403, 'passkey-refused']);
  });
});
