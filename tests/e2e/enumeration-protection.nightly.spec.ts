import { randomUUID } from 'node:crypto';
import { expect, test as base } from '../support/fixtures';
import { expectDashboard, submitSignIn } from '../support/journeys';
import { leaveForOrganization, meetAccount, open, registerWithOrganization } from '../support/link-account-journeys';
import { openProvider, signInAtProvider } from '../support/provider-window';
import { startStack, type Endpoints } from '../../scripts/lib/stack.mjs';

/** A stack whose identity provider has email enumeration protection, as operators are advised. */
const test = base.extend<object, { guarded: Endpoints }>({
  guarded: [
    async ({}, use) => {
      const stack = await startStack({ name: `guarded-${process.pid}` });
      await protectEnumeration(stack.endpoints);
      await use(stack.endpoints);
      await stack.stop();
    },
    { scope: 'worker', timeout: 300_000 },
  ],
  endpoints: async ({ guarded }, use) => use(guarded),
});

test.describe.configure({ mode: 'serial' });

async function protectEnumeration({ emulatorHost, projectId }: Endpoints): Promise<void> {
  const config = `http://${emulatorHost}/identitytoolkit.googleapis.com/v2/projects/${projectId}/config`;
  const answer = await fetch(`${config}?updateMask=emailPrivacyConfig`, {
    method: 'PATCH',
    headers: { authorization: 'Bearer owner', 'content-type': 'application/json' },
    body: JSON.stringify({ emailPrivacyConfig: { enableImprovedEmailPrivacy: true } }),
  });
  expect(answer.status).toBe(200);
}

test('auth/invalid-credential is shown for a wrong password and for an unknown email', async ({
  page,
  endpoints,
  user,
}) => {
  const texts: (string | null)[] = [];
  for (const email of [user.email, 'unknown@campus.test']) {
    await page.goto(`${endpoints.appOrigin}/sign-in`);
    const answer = page.waitForResponse(/accounts:signInWithPassword/);
    await submitSignIn(page, { email, password: 'not-my-password' });
    expect(await (await answer).json()).toMatchObject({ error: { message: 'INVALID_LOGIN_CREDENTIALS' } });
    const alert = page.getByRole('main').getByRole('alert').filter({ hasText: 'Incorrect email or password' });
    await expect(alert).toBeVisible();
    texts.push(await alert.textContent());
  }
  expect(texts[0]).toBe(texts[1]);
});

test('an account is verified and linked although its methods are not returned', async ({
  page,
  endpoints,
  accounts,
  user,
}) => {
  await page.goto(`${endpoints.appOrigin}/security`);
  const identity = { ...user, emailVerified: false };
  await signInAtProvider(await openProvider(page, 'GitHub'), identity);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Connect your accounts');
  await expect(page.getByText(`You already have an account for ${user.email}`)).toBeVisible();
  await page.getByLabel('Password', { exact: true }).fill(user.password);
  await page.getByRole('button', { name: 'Sign in and connect' }).click();
  await expect(page).toHaveURL(`${endpoints.appOrigin}/security`);
  expect(await accounts.fetchMethods(user)).toEqual(['github.com', 'password']);
});

test('an account of an organization is verified there although its methods are not returned', async ({
  page,
  endpoints,
  accounts,
}) => {
  const identity = { email: `hidden-${randomUUID().slice(0, 8)}@acme.test`, name: 'Ola' };
  await registerWithOrganization(page, endpoints, identity);

  await open(page, endpoints);
  await meetAccount(page, 'GitHub', identity);
  await page.getByRole('link', { name: 'Sign in with your organization' }).click();
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(identity.email);
  await leaveForOrganization(page);
  await page.locator('.js-reuse-account', { hasText: identity.email }).click();
  await expectDashboard(page, endpoints, identity);
  const uid = (await page.context().cookies()).find(({ name }) => name === 'kk_uid')?.value ?? '';
  expect(await accounts.fetchMethods({ uid })).toEqual(['github.com', 'saml.acme']);
});
