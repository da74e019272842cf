import type { Page } from '@playwright/test';
import type { Endpoints } from '../../scripts/lib/stack.mjs';
import { SoftwareAuthenticator } from './software-authenticator';
import { tokenBy, type TestUser } from './accounts-client';
import { CookieJar } from './client';
import type { addAuthenticator, VirtualCredential } from './authenticator';
import { expectDashboard, getDashboardUrl, pageReady, submitSignIn } from './journeys';
import { expect } from '@playwright/test';

/**
 * Adds a passkey to an account, as another device of its owner does.
 * @returns the key, to add to a virtual authenticator
 */
export async function createPasskey(
  endpoints: Endpoints,
  user: TestUser,
  isSynced = true,
): Promise<{ key: VirtualCredential; authenticator: SoftwareAuthenticator }> {
  const browser = new CookieJar({ origin: endpoints.appOrigin, 'sec-fetch-site': 'same-origin' });
  const call = async (path: string, body: object) => {
    const answer = await browser.post(`${endpoints.appOrigin}/api/${path}`, body);
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body as { options: Parameters<SoftwareAuthenticator['create']>[0]; challenge: string };
  };
  await call('create-user-session', { token: await tokenBy(endpoints, 'signInWithPassword', user) });
  const { options, challenge } = await call('passkeys/creation-options', { source: 'settings' });
  const authenticator = new SoftwareAuthenticator(isSynced);
  const response = authenticator.create(options, { origin: endpoints.appOrigin });
  await call('passkeys/add', { challenge, response });
  const [made] = authenticator.keys;
  if (!made) throw new Error('No key');
  const toBase64 = (text: string) => Buffer.from(text, 'base64url').toString('base64');
  const key = {
    credentialId: toBase64(made.id),
    isResidentCredential: true,
    rpId: options.rp.id,
    privateKey: made.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    userHandle: toBase64(made.userHandle),
    signCount: 1,
    backupEligibility: isSynced,
    backupState: isSynced,
  };
  return { key, authenticator };
}

/** Prevents a sign-in by the autofill of /sign-in, because a virtual authenticator responds immediately. */
export const withoutAutofill = (page: Page) =>
  page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false);
  });

export const passkeyButton = (page: Page) => page.getByRole('button', { name: 'Sign in with a passkey' });

/**
 * Simulates a device that was offered a passkey before, so that a sign-in with the password continues without an offer.
 */
export const withoutOffer = (page: Page) => page.addInitScript(() => localStorage.setItem('passkey-offered', '1'));

/** Expects the notice of the passkey button. */
export const expectNotice = (page: Page, text: string) => expect(page.getByRole('main').getByText(text)).toBeVisible();

/**
 * Makes a virtual authenticator handle conditional creation like a normal request, because it creates no passkey by
 * itself.
 * @returns a function that counts the page's requests
 */
export async function createByItself(page: Page): Promise<() => number> {
  let asked = 0;
  await page.exposeBinding('askedForOne', () => {
    asked += 1;
  });
  await page.addInitScript(() => {
    const { credentials } = navigator;
    const create = credentials.create.bind(credentials);
    credentials.create = (options) => {
      const { mediation, ...rest } = options as CredentialCreationOptions & { mediation?: string };
      if (mediation === 'conditional') (globalThis as unknown as { askedForOne: () => void }).askedForOne();
      return create(rest);
    };
  });
  return () => asked;
}

/**
 * Signs in with the password, for which the browser creates a passkey without presence and verification, and then with
 * that passkey.
 */
export async function signInByPasswordThenPasskey(
  page: Page,
  endpoints: Endpoints,
  user: TestUser,
  authenticator: Awaited<ReturnType<typeof addAuthenticator>>,
): Promise<void> {
  await authenticator.forge({ isBadUP: true, isBadUV: true });
  await page.goto(getDashboardUrl(endpoints));
  await pageReady(page);
  await submitSignIn(page, user);
  await expectDashboard(page, endpoints, user);
  expect(await authenticator.credentials()).toHaveLength(1);
  await authenticator.forge({ isBadUP: false, isBadUV: false });
  await page.context().clearCookies();
  await page.goto(getDashboardUrl(endpoints));
  await pageReady(page);
  await passkeyButton(page).click();
  await expectDashboard(page, endpoints, user);
}
