// A step that replaces the element in use moves the focus to the new content, which a screen reader then reads.
import type { Page } from '@playwright/test';
import { beginSignIn } from '../../examples/mobile/client.mjs';
import type { Endpoints } from '../../scripts/lib/stack.mjs';
import { fillNewPassword, loadSecurity, NEW_PASSWORD, submitRegistration } from '../support/account-journeys';
import type { AccountsClient, TestUser } from '../support/accounts-client';
import { listen } from '../support/announcements';
import { giveFirstFactor } from '../support/code-page';
import { readCode, scheduleFactorReset } from '../support/factor-reset-journeys';
import { expect, test } from '../support/fixtures';
import { pageReady, signInByApi } from '../support/journeys';
import { installApp } from '../support/mobile-journeys';
import { withoutOffer } from '../support/passkey-journeys';
import { postBy, registerOwner } from '../support/registered';
import { scheduleDeletion } from '../support/scheduled-deletion';
import { enrolApp } from '../support/second-factor';
import { confirmApp, getRecoveryCode, getSetUp, getTurnOn, readCodes } from '../support/second-factor-journeys';

const OTHER_BROWSER = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';

type Walk = { page: Page; endpoints: Endpoints; accounts: AccountsClient; user: TestUser };

type Step = {
  name: string;
  /** Opens the page before the step. */
  open?: (walk: Walk) => Promise<unknown>;
  step: (walk: Walk) => Promise<unknown>;
  /** The element that has the focus afterward. */
  focus: { h1: string } | { h2: string } | { field: string } | { message: string } | { document: string };
  /** The announcements of live regions. */
  said: string[];
};

const press = ({ page }: Walk, name: string) => page.getByRole('button', { name, exact: true }).first().click();
const goto = async ({ page, endpoints }: Walk, path: string) => {
  await page.goto(`${endpoints.appOrigin}${path}`);
  await pageReady(page);
};
const openSecurity = ({ page, endpoints }: Walk) => loadSecurity(page, endpoints);
const signInAgain = async ({ page, endpoints, accounts, user }: Walk, password: string) =>
  signInByApi(page, endpoints, await accounts.idToken({ ...user, password }));
const signInElsewhere = async ({ page, endpoints, accounts, user }: Walk, password = user.password) => {
  const other = await page.context().browser()?.newContext();
  if (!other) throw new Error('No browser');
  const token = await accounts.idToken({ ...user, password });
  await signInByApi(other, endpoints, token, { 'user-agent': OTHER_BROWSER });
  await other.close();
};

const OF_VISITORS: Step[] = [
  {
    name: 'a sign-in link is sent',
    open: (walk) => goto(walk, '/sign-in/with-email-link'),
    step: async (walk) => {
      await walk.page.getByRole('textbox', { name: 'Email', exact: true }).fill(walk.user.email);
      await press(walk, 'Email me a sign-in link');
    },
    focus: { h1: 'Check your email' },
    said: ['Sending the email'],
  },
  {
    name: 'to another address',
    step: (walk) => press(walk, 'Use another email address'),
    focus: { h1: 'Sign in without a password' },
    said: [],
  },
  {
    name: 'a reset code is sent',
    open: (walk) => goto(walk, '/forget-password'),
    step: async (walk) => {
      await walk.page.getByRole('textbox', { name: 'Email', exact: true }).fill(walk.user.email);
      await press(walk, 'Send reset code');
    },
    focus: { h1: 'Check your email' },
    said: ['Sending', 'Check your email | Campus'],
  },
  {
    name: 'a confirmation code is sent',
    open: (walk) => goto(walk, '/registration'),
    step: async ({ page, endpoints, user }) => submitRegistration(page, endpoints, `new-${user.email}`),
    focus: { h1: 'Check your email' },
    said: ['Creating your account', 'Check your email | Campus'],
  },
];

const OF_LEARNERS: Step[] = [
  {
    name: 'it was me',
    open: async (walk) => {
      await signInElsewhere(walk);
      await openSecurity(walk);
    },
    step: (walk) => press(walk, 'It was me'),
    focus: { message: "Thanks. We won't ask about this sign-in again." },
    said: [],
  },
  {
    name: 'the mobile app goes on with the account',
    open: ({ page, endpoints }) => page.goto(beginSignIn(endpoints).address),
    step: (walk) => press(walk, `Continue as ${walk.user.name}`),
    focus: { h1: "You're signed in" },
    said: ['Taking you back to the app'],
  },
  {
    name: 'the password is changed',
    open: (walk) => goto(walk, '/account-settings/change-password'),
    step: async (walk) => {
      await walk.page.getByLabel('Current password', { exact: true }).fill(walk.user.password);
      await fillNewPassword(walk.page);
      await press(walk, 'Change password');
    },
    focus: { h1: 'Your password has been changed' },
    said: ['Changing your password'],
  },
  {
    name: 'the deletion is confirmed',
    open: async (walk) => {
      await openSecurity(walk);
      await press(walk, 'Delete my account');
    },
    step: async (walk) => {
      const form = walk.page.getByRole('form', { name: "Confirm it's you" });
      await form.getByLabel('Current password', { exact: true }).fill(NEW_PASSWORD);
      await form.getByRole('button', { name: 'Delete my account' }).click();
    },
    // This step opens a new document, whose title is read.
    focus: { document: 'Your account will be deleted on ' },
    said: [],
  },
  {
    name: 'the account is kept, on its own page',
    step: (walk) => press(walk, 'Keep my account'),
    focus: { h1: "Your account won't be deleted" },
    said: ['Keeping your account'],
  },
  {
    name: 'the account is kept, on the account page',
    open: async (walk) => {
      await scheduleDeletion(walk.endpoints, { ...walk.user, password: NEW_PASSWORD });
      // The request has ended the sessions of all other browsers.
      await signInAgain(walk, NEW_PASSWORD);
      await openSecurity(walk);
    },
    step: (walk) => press(walk, 'Keep my account'),
    focus: { message: "Your account won't be deleted." },
    said: [],
  },
  {
    name: "it wasn't me",
    open: async (walk) => {
      await signInElsewhere(walk, NEW_PASSWORD);
      await openSecurity(walk);
      await press(walk, "This wasn't me");
      await expect(walk.page.getByRole('heading', { level: 1 })).toHaveText('Secure your account');
      await pageReady(walk.page);
    },
    step: (walk) => press(walk, "This wasn't me"),
    focus: { h1: 'Choose a new password' },
    said: ['Securing your account'],
  },
];

const OF_TWO_STEPS: Step[] = [
  {
    name: 'an app is set up',
    open: openSecurity,
    step: ({ page }) => getSetUp(page).click(),
    focus: { h1: 'Set up an authenticator app' },
    said: [],
  },
  {
    name: 'recovery codes are shown',
    step: async ({ page }) => {
      await confirmApp(page);
      await readCodes(page);
    },
    focus: { h1: 'Save your recovery codes' },
    said: [],
  },
  {
    name: 'two-step verification is on',
    step: async ({ page }) => {
      await getRecoveryCode(page).fill((await readCodes(page))[0] ?? '');
      await getTurnOn(page).click();
    },
    focus: { h2: 'Two-step verification' },
    said: ['Two-step verification is on. All other devices are signed out.'],
  },
  {
    name: 'two-step verification is kept',
    open: async (walk) => {
      await scheduleFactorReset(walk.endpoints, walk.user);
      await openSecurity(walk);
    },
    step: (walk) => press(walk, 'Keep two-step verification'),
    focus: { message: 'Two-step verification stays on.' },
    said: [],
  },
];

/** Steps from the page that asks for the second factor. */
const OF_A_LOST_APP: Step[] = [
  {
    name: 'a recovery code instead of the app',
    open: ({ page, endpoints, user }) => giveFirstFactor(page, endpoints, user),
    step: (walk) => press(walk, 'Use a recovery code'),
    focus: { field: 'Recovery code' },
    said: [],
  },
  {
    name: 'everything is lost',
    step: (walk) => press(walk, 'Lost your app and your recovery codes?'),
    focus: { h1: 'Turn off two-step verification' },
    said: [],
  },
  {
    name: 'a code is emailed',
    step: (walk) => press(walk, 'Email me a code'),
    focus: { h1: 'Check your email' },
    said: ['Sending the code'],
  },
  {
    name: 'the reset is scheduled',
    step: async ({ page, endpoints, user }) => {
      await page.getByLabel('Code', { exact: true }).fill(await readCode(endpoints, user));
    },
    focus: { h1: 'Two-step verification will be turned off' },
    said: ['Checking your code'],
  },
];

async function expectFocus(page: Page, focus: Step['focus']): Promise<void> {
  const spot = (selector: string) => page.locator(`${selector}:focus`);
  if ('h1' in focus) {
    await expect(spot('h1')).toHaveText(focus.h1);
    await expect(page).toHaveTitle(`${focus.h1} | Campus`);
  } else if ('h2' in focus) await expect(spot('h2')).toHaveText(focus.h2);
  else if ('field' in focus) await expect(page.getByLabel(focus.field, { exact: true })).toBeFocused();
  else if ('message' in focus) await expect(spot('main [tabindex="-1"]')).toHaveText(focus.message);
  else {
    await expect(page).toHaveTitle(new RegExp(`^${focus.document}`));
    await expect(spot('body')).toHaveCount(0);
    await pageReady(page);
  }
}

const softly = expect.configure({ soft: true });

/** Runs on a phone, where no field of the next screen takes the focus. */
async function walk(steps: Step[], { page, endpoints, accounts, user }: Walk): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 });
  const said = await listen(page);
  for (const { name, open, step, focus, said: expected } of steps)
    await test.step(name, async () => {
      const all = { page, endpoints, accounts, user };
      await open?.(all);
      said.length = 0;
      await step(all);
      await expectFocus(page, focus);
      // Polled, because on a busy machine the message is read after the focus has moved.
      await softly.poll(() => said, { message: name }).toEqual(expected);
    });
}

test('of visitors', ({ page, endpoints, accounts, user }) => walk(OF_VISITORS, { page, endpoints, accounts, user }));

test('of learners', async ({ page, endpoints, accounts }) => {
  await installApp(page);
  // The first browser of a registered owner is asked about other sign-ins.
  const user = await registerOwner(endpoints, postBy(page, endpoints));
  await walk(OF_LEARNERS, { page, endpoints, accounts, user });
});

test('of two-step verification', async ({ page, endpoints, accounts, user }) => {
  await withoutOffer(page);
  await signInByApi(page, endpoints, await accounts.idToken(user));
  await walk(OF_TWO_STEPS, { page, endpoints, accounts, user });
});

test('of a lost app', async ({ page, endpoints, accounts, user }) => {
  await enrolApp(endpoints, user);
  await walk(OF_A_LOST_APP, { page, endpoints, accounts, user });
});
