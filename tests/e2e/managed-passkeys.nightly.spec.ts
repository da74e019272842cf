import type { Page } from '@playwright/test';
import type { Endpoints } from '../../scripts/lib/stack.mjs';
import { getDownload, openSecuritySignedIn } from '../support/account-journeys';
import type { AccountsClient, TestUser } from '../support/accounts-client';
import { addAuthenticator } from '../support/authenticator';
import { giveFirstFactor } from '../support/code-page';
import { expect, test } from '../support/fixtures';
import { expectDashboard, expectPath, getDashboardUrl, pageReady, submitSignIn } from '../support/journeys';
import { MANAGED_KINDS, manageCredentials } from '../support/managed-credentials';
import {
  createByItself,
  createPasskey,
  passkeyButton,
  signInByPasswordThenPasskey,
  withoutAutofill,
  withoutOffer,
} from '../support/passkey-journeys';
import { enrolApp } from '../support/second-factor';
import { addPasskey, getAdd, getPasskeys } from '../support/security-passkeys-journeys';

type Ceremony = { page: Page; endpoints: Endpoints; user: TestUser; accounts: AccountsClient };
type Authenticator = Awaited<ReturnType<typeof addAuthenticator>>;

/** Every ceremony of this app. Each runs until its result is visible. */
const CEREMONIES: Record<string, (ceremony: Ceremony, authenticator: Authenticator) => Promise<void>> = {
  'the autofill signs in': async ({ page, endpoints, user }, authenticator) => {
    await authenticator.add((await createPasskey(endpoints, user)).key);
    // The authenticator chooses immediately, as a learner does in the field's list.
    await page.goto(getDashboardUrl(endpoints));
    await expectDashboard(page, endpoints, user);
  },
  'the button signs in': async ({ page, endpoints, user }, authenticator) => {
    await withoutAutofill(page);
    await authenticator.add((await createPasskey(endpoints, user)).key);
    await page.goto(getDashboardUrl(endpoints));
    await pageReady(page);
    await passkeyButton(page).click();
    await expectDashboard(page, endpoints, user);
  },
  'a passkey takes the place of a code': async ({ page, endpoints, user }, authenticator) => {
    await withoutAutofill(page);
    await authenticator.add((await createPasskey(endpoints, user)).key);
    await enrolApp(endpoints, user);
    await giveFirstFactor(page, endpoints, user);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await expectDashboard(page, endpoints, user);
  },
  'one is added, once, and proves who its owner is': async ({ page, endpoints, user, accounts }) => {
    await withoutOffer(page);
    await openSecuritySignedIn(page, endpoints, await accounts.idToken(user));
    await addPasskey(page);
    await getAdd(page).click();
    await expect(page.getByText('You already have a passkey on this device.')).toBeVisible();
    await expect(getPasskeys(page)).toHaveCount(1);
    await getDownload(page).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Confirm with a passkey' }).click();
    await download;
  },
  'the offer after a sign-in creates one': async ({ page, endpoints, user }, authenticator) => {
    await page.goto(getDashboardUrl(endpoints));
    await pageReady(page);
    await submitSignIn(page, user);
    await expectPath(page, endpoints, '/sign-in/add-passkey');
    await page.getByRole('button', { name: 'Create a passkey' }).click();
    await expectDashboard(page, endpoints, user);
    expect(await authenticator.credentials()).toMatchObject([{ userName: user.email }]);
  },
  'it creates one by itself after a sign-in, which signs in then': async ({ page, endpoints, user }, authenticator) => {
    await withoutAutofill(page);
    await page.addInitScript(() => {
      const means = PublicKeyCredential as unknown as Record<string, unknown>;
      means.getClientCapabilities = () => Promise.resolve({ conditionalCreate: true });
    });
    await createByItself(page);
    await signInByPasswordThenPasskey(page, endpoints, user, authenticator);
  },
};

for (const [name, perform] of Object.entries(CEREMONIES))
  for (const kind of MANAGED_KINDS)
    test(`${name}: ${kind} credentials`, async ({ page, endpoints, user, accounts }) => {
      const authenticator = await addAuthenticator(page);
      await page.addInitScript(manageCredentials, kind);
      await perform({ page, endpoints, user, accounts }, authenticator);
    });
