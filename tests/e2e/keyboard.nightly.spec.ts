import type { Page } from '@playwright/test';
import { codeFor, freshEmail, NEW_PASSWORD } from '../support/account-journeys';
import { listen } from '../support/announcements';
import { expect, test } from '../support/fixtures';
import { expectPath, getDashboardUrl, pageReady, getSignInUrl } from '../support/journeys';
import { enrolApp } from '../support/second-factor';
import { readCodes } from '../support/second-factor-journeys';
import { SET_UP_PAGE } from '../support/second-factor-rules';
import { SoftwareApp } from '../support/totp';

type Role = Parameters<Page['getByRole']>[0];

/** This is more than the tab stops of any screen. */
const MOST_STOPS = 60;

/** Returns a screen reader's name for the focused element, such as `button "Sign in"`. Empty if nothing has focus. */
async function focused(page: Page): Promise<string> {
  const spot = page.locator(':focus');
  if ((await spot.count()) === 0) return '';
  const [line = ''] = (await spot.ariaSnapshot()).split('\n');
  const [, named = ''] = /^- '?(\w+(?: "[^"]*")?)/.exec(line) ?? [];
  return named;
}

/** Presses Tab until this element has focus, once it exists. @param place a name in the format of `focused` */
async function tabTo(page: Page, place: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const [, role = '', name = ''] = /^(\w+) "(.+)"$/.exec(place) ?? [];
  await expect(page.getByRole(role as Role, { name, exact: true }).first()).toBeVisible();
  const met: string[] = [];
  for (let stop = 0; stop < MOST_STOPS; stop += 1) {
    await page.keyboard.press(key);
    const here = await focused(page);
    if (here === place) return;
    met.push(here);
  }
  expect(met, `Tab never comes to ${place}`).toContain(place);
}

/** Moves to a field with Tab and types. */
async function typeInto(page: Page, label: string, text: string): Promise<void> {
  await tabTo(page, `textbox "${label}"`);
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(text);
}

/** Moves to a button or link with Tab and presses Enter. */
async function press(page: Page, place: string): Promise<void> {
  await tabTo(page, place);
  await page.keyboard.press('Enter');
}

// Once a page is open, the tests use only the keyboard and record the announcements of live regions.

test('signing in after a wrong password, another theme, and signing out', async ({ page, endpoints, user }) => {
  const said = await listen(page);
  await page.goto(`${getSignInUrl(endpoints)}?return_to=security`);
  await expect.poll(() => focused(page)).toBe('textbox "Email"');

  await page.keyboard.press('Enter');
  await expect.poll(() => said).toHaveLength(2);
  await expect.poll(() => focused(page)).toBe('textbox "Email"');
  await page.keyboard.type(user.email);
  await typeInto(page, 'Password', 'not-my-password');
  await page.keyboard.press('Enter');
  await expect.poll(() => said.at(-1)).toContain('Incorrect email or password');
  await expect.poll(() => focused(page)).toBe('textbox "Password"');
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(user.password);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${endpoints.appOrigin}/security`);
  await pageReady(page);

  await tabTo(page, 'combobox "Theme"');
  await page.keyboard.press('D');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect.poll(() => focused(page)).toBe('combobox "Theme"');

  await press(page, 'button "Connect another account"');
  await press(page, 'button "Connect GitHub"');
  await expect.poll(() => focused(page)).toContain('first, then connect GitHub');
  await press(page, 'button "Cancel"');
  await expect.poll(() => focused(page)).toBe('button "Connect GitHub"');

  await tabTo(page, 'button "Sign out"', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(getSignInUrl(endpoints));
  // `One moment` is announced when the sign-in methods take a while to load.
  await expect
    .poll(() => said)
    .toEqual([
      'Enter an email address like name@example.com.',
      'Enter your password.',
      'Signing you in',
      'Incorrect email or password. Check what you typed and try again.',
      'Signing you in',
      'Signing you out',
    ]);
});

test('signing in with a second factor', async ({ page, endpoints, user }) => {
  const app = await enrolApp(endpoints, user);
  const said = await listen(page);
  await page.goto(`${getSignInUrl(endpoints)}?return_to=security`);
  await expect.poll(() => focused(page)).toBe('textbox "Email"');
  await page.keyboard.type(user.email);
  await typeInto(page, 'Password', user.password);
  await page.keyboard.press('Enter');
  await expectPath(page, endpoints, '/sign-in/second-factor');
  await expect.poll(() => focused(page)).toBe('textbox "Authentication code"');
  await page.keyboard.type(app.codeAt(3_600));
  await expect.poll(() => said.at(-1)).toContain('You have 4 attempts left.');
  await expect.poll(() => focused(page)).toBe('textbox "Authentication code"');
  await press(page, 'button "Use a recovery code"');
  await expect.poll(() => focused(page)).toBe('textbox "Recovery code"');
  await press(page, 'button "Use your authenticator app"');
  await expect.poll(() => focused(page)).toBe('textbox "Authentication code"');
  await press(page, 'button "Use a recovery code"');
  await page.keyboard.type(app.recoveryCodes[0] ?? '');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('heading "You\'re signed in"');
  await press(page, 'button "Continue"');
  await expectPath(page, endpoints, '/security');
  await expect
    .poll(() => said)
    .toEqual([
      'Signing you in',
      'Checking your code',
      'This code is incorrect. You have 4 attempts left. Check that your phone sets its date and time automatically.',
      'Checking your code',
      'You used a recovery code. You have 9 left.',
    ]);
});

test('setting up a second factor that a page of the platform asks for', async ({ page, endpoints, user }) => {
  const certificates = `${endpoints.platformOrigin}/user/certificates`;
  const said = await listen(page);
  await page.goto(certificates);
  await expect.poll(() => focused(page)).toBe('textbox "Email"');
  await page.keyboard.type(user.email);
  await typeInto(page, 'Password', user.password);
  await page.keyboard.press('Enter');
  await expectPath(page, endpoints, SET_UP_PAGE);
  await pageReady(page);
  await press(page, 'button "Set up an authenticator app"');
  const key = page.getByRole('definition');
  await expect(key).toBeVisible();
  const app = new SoftwareApp(await key.innerText());
  await typeInto(page, 'Authentication code', app.wrongCode());
  await page.keyboard.press('Enter');
  await expect.poll(() => said.at(-1)).toContain('This code is incorrect.');
  await typeInto(page, 'Authentication code', await app.nextCode());
  await page.keyboard.press('Enter');
  const [code = ''] = await readCodes(page);
  await typeInto(page, 'Recovery code', code);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(certificates);
});

test('registering with the code', async ({ page, endpoints }) => {
  const said = await listen(page);
  const email = freshEmail();
  await page.goto(getSignInUrl(endpoints));
  await pageReady(page);
  await press(page, 'link "Create an account"');
  await expect.poll(() => focused(page)).toBe('textbox "Name"');
  await page.keyboard.type('Mia Moreau');
  await typeInto(page, 'Email', email);
  await typeInto(page, 'Password', 'quiet');
  await page.keyboard.press('Enter');
  await expect.poll(() => said.at(-1)).toBe('Use at least 8 characters.');
  await expect.poll(() => focused(page)).toBe('textbox "Password"');
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(NEW_PASSWORD);
  await press(page, 'button "Create account"');
  await expectPath(page, endpoints, '/registration/confirm');
  await expect(page).toHaveTitle('Check your email | Campus');
  await expect.poll(() => focused(page)).toBe('textbox "Code"');
  await page.keyboard.type('AAAAAA');
  await expect.poll(() => said.at(-1)).toContain('You have 4 attempts left.');
  await expect.poll(() => focused(page)).toBe('textbox "Code"');
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(await codeFor(endpoints, email));
  await expect(page).toHaveURL(`${endpoints.appOrigin}/registration/success`);
  await press(page, 'link "Continue"');
  await expect(page).toHaveURL(getDashboardUrl(endpoints));
  await expect
    .poll(() => said)
    .toEqual([
      'Create your account | Campus',
      'Use at least 8 characters.',
      'Creating your account',
      'Check your email | Campus',
      'Checking your code',
      'This code is incorrect. Check the latest email from us. You have 4 attempts left.',
      'Checking your code',
    ]);
});

test('choosing a new password', async ({ page, endpoints, user }) => {
  const said = await listen(page);
  await page.goto(getSignInUrl(endpoints));
  await pageReady(page);
  await press(page, 'link "Forgot password?"');
  await expect.poll(() => focused(page)).toBe('textbox "Email"');
  await page.keyboard.type(user.email);
  await press(page, 'button "Send reset code"');
  await expectPath(page, endpoints, '/forget-password/instructions');
  await expect.poll(() => focused(page)).toBe('textbox "Code"');
  await page.keyboard.type(await codeFor(endpoints, user.email));
  await typeInto(page, 'New password', NEW_PASSWORD);
  await tabTo(page, 'button "Show password"');
  await page.keyboard.press('Space');
  await expect(page.getByLabel('New password', { exact: true })).toHaveAttribute('type', 'text');
  await typeInto(page, 'New password', NEW_PASSWORD);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${endpoints.appOrigin}/forget-password/confirmation`);
  // The sign-in loads the page as a document, whose title a screen reader reads by itself.
  await press(page, 'link "Continue"');
  await expect(page).toHaveURL(getDashboardUrl(endpoints));
  await expect
    .poll(() => said)
    .toEqual(['Forgot your password? | Campus', 'Sending', 'Check your email | Campus', 'Setting your new password']);
});
