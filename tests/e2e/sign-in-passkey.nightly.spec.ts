// Threats: forged-passkey, planted-passkey
import { addAuthenticator } from '../support/authenticator';
import { expect, test } from '../support/fixtures';
import {
  expectDashboard,
  expectPath,
  getDashboardUrl,
  getSignInUrl,
  pageReady,
  signIn,
  submitSignIn,
} from '../support/journeys';
import { createPasskey, passkeyButton, withoutAutofill, withoutOffer, expectNotice } from '../support/passkey-journeys';

test('the field offers passkeys, and a browser without any stays silent', async ({ page, endpoints }) => {
  await addAuthenticator(page);
  await page.goto(getSignInUrl(endpoints));
  await pageReady(page);
  await page.waitForLoadState('networkidle');
  await expect(page.getByLabel('Email', { exact: true })).toHaveAttribute('autocomplete', 'username webauthn');
  await expect(page.getByText(/passkey/i)).toHaveText(['Sign in with a passkey']);
});

test('an idle visitor is offered a challenge that is still valid', async ({ page, endpoints }) => {
  await page.clock.install();
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/passkeys/sign-in-options')) asked.push(request.url());
  });
  await page.goto(getSignInUrl(endpoints));
  await pageReady(page);
  await expect.poll(() => asked.length).toBe(1);
  await page.clock.runFor('03:30');
  expect(asked).toHaveLength(1);
  await page.clock.runFor('00:30');
  await expect.poll(() => asked.length).toBe(2);
  await page.clock.runFor('03:45');
  await expect.poll(() => asked.length).toBe(3);
});

test.describe('a sign-in with the password tells the password manager', () => {
  test.beforeEach(async ({ page }) => {
    await withoutAutofill(page);
    await withoutOffer(page);
  });

  test('what the account is called', async ({ page, endpoints, user }) => {
    const authenticator = await addAuthenticator(page);
    await authenticator.add((await createPasskey(endpoints, user)).key);
    await signIn(page, endpoints, user);
    expect((await authenticator.credentials()).map(({ userName }) => userName)).toEqual([user.email]);
  });

  test('that a passkey was removed', async ({ page, endpoints, user }) => {
    const authenticator = await addAuthenticator(page);
    const { key } = await createPasskey(endpoints, user);
    await authenticator.add({ ...key, credentialId: Buffer.from('removed elsewhere').toString('base64') });
    await signIn(page, endpoints, user);
    expect(await authenticator.credentials()).toEqual([]);
  });

  test('nothing while the list cannot be read', async ({ page, endpoints, user }) => {
    const authenticator = await addAuthenticator(page);
    await authenticator.add((await createPasskey(endpoints, user)).key);
    await page.route('**/api/create-user-session', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: {} });
    });
    await signIn(page, endpoints, user);
    expect(await authenticator.credentials()).toHaveLength(1);
  });
});

test('two accounts on one authenticator: each keeps its passkey', async ({ page, endpoints, user, accounts }) => {
  await withoutAutofill(page);
  const authenticator = await addAuthenticator(page);
  const other = await accounts.create();
  for (const owner of [user, other]) await authenticator.add((await createPasskey(endpoints, owner)).key);
  await page.goto(getDashboardUrl(endpoints));
  await pageReady(page);
  await passkeyButton(page).click();
  // The virtual authenticator chooses without the user.
  await page.waitForURL(getDashboardUrl(endpoints));
  await expect.poll(async () => (await authenticator.credentials()).filter(({ userName }) => userName).length).toBe(1);
  expect(await authenticator.credentials()).toHaveLength(2);
});

test('the autofill that is ready late does not begin beside the dialog of the button', async ({ page, endpoints }) => {
  await page.addInitScript(() => {
    const asked: unknown[] = Object.assign(window, { asked: [] as unknown[] }).asked;
    // Simulates WebKit, which has no such callback and cancels a dialog when the autofill begins.
    Object.assign(window, { requestIdleCallback: undefined });
    navigator.credentials.get = (options) => {
      asked.push(options?.mediation ?? 'dialog');
      return new Promise(() => undefined);
    };
    PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(true);
    Object.assign(PublicKeyCredential, { getClientCapabilities: () => Promise.resolve({}) });
  });
  const asked = () => page.evaluate(() => (window as unknown as { asked: string[] }).asked);
  await page.goto(getSignInUrl(endpoints));
  await pageReady(page);
  await passkeyButton(page).click();
  await expect.poll(asked).toEqual(['dialog']);
  // This is longer than the second that the page waits.
  await page.waitForTimeout(2_000);
  expect(await asked()).toEqual(['dialog']);
});

test('cancelled: it is announced, and the form is ready', async ({ page, endpoints, user }) => {
  await withoutAutofill(page);
  await addAuthenticator(page);
  // Simulates a learner who closes the browser's dialog.
  await page.addInitScript(() => {
    navigator.credentials.get = () => Promise.reject(new DOMException('', 'NotAllowedError'));
    Object.assign(PublicKeyCredential, { getClientCapabilities: () => Promise.resolve({}) });
  });
  await page.goto(getDashboardUrl(endpoints));
  await pageReady(page);
  await passkeyButton(page).click();
  await expectNotice(page, 'No passkey was used. Try again, or choose another way.');
  await expect(page.getByRole('alert').filter({ hasText: 'passkey' })).toHaveCount(1);
  await submitSignIn(page, user);
  await expectPath(page, endpoints, '/sign-in/add-passkey');
});

test('none on this device: the way to another one', async ({ page, endpoints }) => {
  await addAuthenticator(page);
  await page.goto(getSignInUrl(endpoints));
  await pageReady(page);
  await passkeyButton(page).click();
  await expectNotice(page, 'No passkey was used. Choose another way, or use a phone or security key.');
  await expect(page.getByRole('button', { name: 'Use a phone or security key' })).toBeVisible();
});

test('timed out: says so', async ({ page, endpoints }) => {
  await withoutAutofill(page);
  await page.addInitScript(() => {
    let waited = 0;
    const now = performance.now.bind(performance);
    performance.now = () => now() + waited;
    navigator.credentials.get = () => {
      waited = 295_000;
      return Promise.reject(new DOMException('The operation timed out', 'NotAllowedError'));
    };
  });
  await page.goto(getSignInUrl(endpoints));
  await pageReady(page);
  await passkeyButton(page).click();
  await expectNotice(page, 'That took too long');
});

test('no authenticator: the password signs in as before, and nothing is offered', async ({ page, endpoints, user }) => {
  await signIn(page, endpoints, user);
});

test('a browser without WebAuthn shows no button', async ({ page, endpoints, user }) => {
  await page.addInitScript(() => {
    Reflect.deleteProperty(globalThis, 'PublicKeyCredential');
  });
  await page.goto(getDashboardUrl(endpoints));
  await pageReady(page);
  await expect(passkeyButton(page)).toHaveCount(0);
  await submitSignIn(page, user);
  await expectDashboard(page, endpoints, user);
});

test.describe('a response that the server refuses', () => {
  test.beforeEach(({ page }) => withoutAutofill(page));

  test('without user verification', async ({ page, endpoints, user }) => {
    const authenticator = await addAuthenticator(page);
    await authenticator.add((await createPasskey(endpoints, user)).key);
    await authenticator.forge({ isBadUV: true });
    await page.goto(getSignInUrl(endpoints));
    await pageReady(page);
    await passkeyButton(page).click();
    await expectNotice(page, "We couldn't verify this passkey.");
  });

  test('a counter that went back', async ({ page, endpoints, user }) => {
    const authenticator = await addAuthenticator(page, { isSynced: false });
    await authenticator.add((await createPasskey(endpoints, user, false)).key);
    await authenticator.setCounter(40);
    await page.goto(getDashboardUrl(endpoints));
    await pageReady(page);
    await passkeyButton(page).click();
    await expectDashboard(page, endpoints, user);
    await page.context().clearCookies();
    await authenticator.setCounter(3);
    await page.goto(getSignInUrl(endpoints));
    await pageReady(page);
    await passkeyButton(page).click();
    await expectNotice(page, 'This passkey is turned off because a copy of it may exist.');
  });

  test('a removed passkey: the password manager is told to forget it', async ({ page, endpoints, user, accounts }) => {
    const authenticator = await addAuthenticator(page);
    await authenticator.add((await createPasskey(endpoints, user)).key);
    await accounts.remove(user);
    await page.goto(getSignInUrl(endpoints));
    await pageReady(page);
    await passkeyButton(page).click();
    await expectNotice(page, "We don't recognize this passkey.");
    await expect.poll(async () => (await authenticator.credentials()).length).toBe(0);
  });

  test('an outage of the server tells the password manager nothing', async ({ page, endpoints, user }) => {
    const authenticator = await addAuthenticator(page);
    await authenticator.add((await createPasskey(endpoints, user)).key);
    await page.route('**/api/passkeys/sign-in', (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/problem+json',
        json: { type: 'urn:problem:records-unavailable', code: 'records-unavailable', status: 503 },
      }),
    );
    await page.goto(getSignInUrl(endpoints));
    await pageReady(page);
    await passkeyButton(page).click();
    await expectNotice(page, "Passkeys aren't available right now.");
    expect(await authenticator.credentials()).toHaveLength(1);
  });
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
    // Simulates a real browser, whose autofill waits for the visitor and ends when the button is pressed.
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
