import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { expectDashboard, getDashboardUrl, getSignInUrl, submitSignIn } from '../support/journeys';
import { newIdentity, openProvider, signInAtProvider } from '../support/provider-window';
import { getAccounts } from '../support/sign-in-ways';

test.use({ seesAccounts: true });

test('sign-in shows a form, a passkey and one provider; the rest is behind one press', async ({ page, endpoints }) => {
  await page.goto(getSignInUrl(endpoints));
  const main = page.getByRole('main');
  await expect(main.getByRole('button')).toHaveText([
    'Show',
    'Sign in',
    'Sign in with a passkey',
    'Continue with Google',
  ]);
  const tops = await Promise.all(
    [
      main.getByLabel('Email', { exact: true }),
      main.getByRole('link', { name: 'Forgot password?' }),
      main.getByLabel('Password', { exact: true }),
      main.getByRole('button', { name: 'Sign in', exact: true }),
      main.getByRole('checkbox', { name: 'This is a shared computer' }),
      main.getByRole('link', { name: 'Create an account' }),
    ].map(async (element) => (await element.boundingBox())?.y ?? 0),
  );
  expect(tops).toEqual(tops.toSorted((a, b) => a - b));
  const organization = main.getByRole('link', { name: 'Sign in with your organization' });
  await expect(organization).toBeHidden();
  await page.getByText('More ways to sign in').click();
  await expect(organization).toBeVisible();
  await expect(main.getByRole('link', { name: 'Email me a sign-in link' })).toBeVisible();
  for (const name of ['Microsoft', 'Apple', 'Facebook', 'LinkedIn', 'GitHub', 'X'])
    await expect(main.getByRole('button', { name: `Continue with ${name}`, exact: true })).toBeVisible();
  await expectNoViolations(page);
});

test('on a phone, the button is within the first 400 px, and the Tab key goes from the password to it', async ({
  page,
  endpoints,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(getSignInUrl(endpoints));
  const main = page.getByRole('main');
  const submit = main.getByRole('button', { name: 'Sign in', exact: true });
  const box = await submit.boundingBox();
  expect(box?.y).toBeLessThanOrEqual(400);
  await main.getByLabel('Password', { exact: true }).focus();
  for (const name of ['Show password', 'Sign in', 'Forgot password?']) {
    await page.keyboard.press('Tab');
    await expect(page.locator(':focus')).toHaveAccessibleName(name);
  }
});

test('the third incorrect password offers a new password and a code', async ({ page, endpoints, user }) => {
  await page.goto(getSignInUrl(endpoints));
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const answer = page.waitForResponse(/signInWithPassword/);
    await submitSignIn(page, { ...user, password: `wrong-password-${attempt}` });
    await answer;
  }
  const notice = page.getByRole('main').getByRole('alert');
  await expect(notice.getByRole('link', { name: 'Choose a new password' })).toBeVisible();
  await expectNoViolations(page);
  await notice.getByRole('link', { name: 'Email me a code' }).click();
  await expect(page).toHaveURL(`${endpoints.appOrigin}/sign-in/with-email-link`);
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(user.email);
});

test('registration offers the providers of sign-in, and says what is agreed to', async ({ page, endpoints }) => {
  const identity = newIdentity();
  await page.goto(`${endpoints.appOrigin}/registration`);
  await expect(page.getByRole('main')).toContainText('you agree to our terms of use and privacy notice');
  await expect(page.getByRole('button', { name: 'Continue with Google' })).toBeVisible();
  await signInAtProvider(await openProvider(page, 'GitHub'), identity);
  await expectDashboard(page, endpoints, identity);
});

test('an account of this browser is picked, removed and left for another one', async ({ page, endpoints, user }) => {
  const identity = newIdentity();
  const signOut = async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect(page).toHaveURL(`${endpoints.platformOrigin}/`);
    await page.goto(getDashboardUrl(endpoints));
  };
  await page.goto(getDashboardUrl(endpoints));
  await signInAtProvider(await openProvider(page, 'Google'), identity);
  await expectDashboard(page, endpoints, identity);
  await signOut();
  const accounts = getAccounts(page);
  await accounts.getByRole('button', { name: 'Use another account' }).click();
  await expect(page.getByLabel('Email', { exact: true })).toBeFocused();
  await submitSignIn(page, user);
  await expectDashboard(page, endpoints, user);
  await signOut();

  // The account used last is first. With a password, only the password is left to enter.
  await expect(accounts.getByRole('button', { name: user.email }).first()).toBeFocused();
  await expectNoViolations(page);
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(user.email);
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
  // The account is named above its password, until the learner goes back to the list.
  await expect(page.getByText(user.email)).toBeVisible();
  await expect(page.getByLabel('Email', { exact: true })).toBeHidden();
  await expectNoViolations(page);
  for (const goBack of [
    () => page.goBack(),
    () => page.getByRole('button', { name: 'Use another account' }).click(),
    () => page.reload(),
  ]) {
    await goBack();
    await expect(accounts.getByRole('button', { name: user.email }).first()).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByLabel('Email', { exact: true })).toHaveValue(user.email);
    await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
  }
  await page.keyboard.type(user.password);
  await page.keyboard.press('Enter');
  await expectDashboard(page, endpoints, user);
  await signOut();

  // With a provider, nothing is left to enter.
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    accounts.getByRole('button', { name: `${identity.name} ${identity.email} Google` }).click(),
  ]);
  await popup.locator('.js-reuse-account', { hasText: identity.email }).click();
  await expectDashboard(page, endpoints, identity);
  await signOut();

  await accounts.getByRole('button', { name: `Remove ${user.email}` }).click();
  await expect(page.getByRole('status').filter({ hasText: `${user.email} removed` })).toBeVisible();
  await expect(accounts.getByRole('button', { name: 'Use another account' })).toBeFocused();
  await accounts.getByRole('button', { name: `Remove ${identity.email}` }).click();
  await expect(page.getByLabel('Email', { exact: true })).toBeFocused();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  expect(await page.evaluate(() => localStorage.getItem('remembered-accounts'))).toBeNull();
});
