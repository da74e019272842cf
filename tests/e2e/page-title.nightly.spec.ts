import { getAlert } from '../support/account-journeys';
import { createAccountsClient } from '../support/accounts-client';
import { expect, test } from '../support/fixtures';
import { pageReady, signIn, getSignInUrl } from '../support/journeys';
import { agree, getEvents, test as withServices } from '../support/services';

test('an error marks the title of its own page only', async ({ page, endpoints }) => {
  const send = page.getByRole('button', { name: 'Sign in', exact: true });
  await page.goto(getSignInUrl(endpoints));
  await pageReady(page);
  await expect(page).toHaveTitle('Sign in | Campus');
  await send.click();
  await expect(page).toHaveTitle('Error: Sign in | Campus');

  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await expect(page).toHaveTitle('Forgot your password? | Campus');
  await page.getByRole('button', { name: 'Send reset code' }).click();
  await expect(page).toHaveTitle('Error: Forgot your password? | Campus');

  await page.getByRole('link', { name: 'Back to sign-in' }).click();
  await expect(send).toBeVisible();
  await expect(page).toHaveTitle('Sign in | Campus');
  await page.goBack();
  await expect(page).toHaveTitle('Forgot your password? | Campus');
  await page.goBack();
  await expect(page).toHaveTitle('Sign in | Campus');
  await send.click();
  await expect(page).toHaveTitle('Error: Sign in | Campus');
  await page.getByLabel('Email').fill('lena@campus.test');
  await page.getByLabel('Password', { exact: true }).fill('x');
  await expect(page).toHaveTitle('Sign in | Campus');
});

test('the title is right from the first render of a page', async ({ page, endpoints }) => {
  await page.goto(getSignInUrl(endpoints));
  await pageReady(page);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page).toHaveTitle('Error: Sign in | Campus');
  await page.evaluate(() => {
    const titles = [document.title];
    Object.assign(window, { titles });
    const changes = { childList: true, subtree: true, characterData: true };
    const note = () => titles.at(-1) !== document.title && titles.push(document.title);
    new MutationObserver(note).observe(document.head, changes);
  });
  await page.getByRole('link', { name: 'Create an account' }).click();
  await expect(page).toHaveTitle('Create your account | Campus');
  const titles = await page.evaluate(() => (window as unknown as { titles: string[] }).titles);
  expect(titles).toEqual(['Error: Sign in | Campus', 'Create your account | Campus']);
});

withServices('an error does not stay in the page views', async ({ context, page, services }) => {
  const { endpoints } = services.stack;
  await agree(context, services);
  await signIn(page, endpoints, await createAccountsClient(endpoints).create());
  await page.goto(`${endpoints.appOrigin}/security`);
  await expect.poll(() => getEvents(services, 'Page View').length, { timeout: 60_000 }).toBe(1);
  await page.getByRole('button', { name: 'Connect another account' }).click();
  await page.getByRole('button', { name: 'Connect GitHub' }).click();
  await page.getByLabel('Current password', { exact: true }).fill('not-my-password');
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await expect(getAlert(page)).toBeVisible();
  await expect(page).toHaveTitle('Error: Account and security | Campus');
  await page.getByRole('link', { name: 'Courses', exact: true }).click();
  await expect(page).toHaveTitle('Your courses | Campus');
  await expect.poll(() => getEvents(services, 'Page View').length, { timeout: 60_000 }).toBe(2);
  const titles = getEvents(services, 'Page View').map(({ properties }) => properties.title);
  expect(titles).toEqual(['Account and security', 'Your courses']);
});
