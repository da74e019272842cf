// ASVS: 10.1.1
// Threats: code-leak
import { expect } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { beginSignIn } from '../../examples/mobile/client.mjs';
import { codeFor, fillNewPassword, freshEmail, linkFor, NEW_PASSWORD } from '../support/account-journeys';
import { createAccountsClient } from '../support/accounts-client';
import { submitSignIn } from '../support/journeys';
import { agree, getEvents, failOnPage, test, watchLibraries } from '../support/services';
import { expectAbsent, keepCookies, keepParameters, keepTokens } from '../support/secrets';

test.describe.configure({ mode: 'serial', timeout: 240_000 });

const OTHER_PASSWORD = 'another-quiet-lantern-43';

const PLANTED = {
  wrongPassword: 'planted-wrong-password',
  email: 'planted@address.test',
  token: 'planted-token-in-address',
  oobCode: 'planted-oob-code',
  fragment: 'planted-fragment',
  cookie: 'planted-cookie',
};

const plantedQuery = () => {
  const callback = `http://localhost:1/x?email=${PLANTED.email}&token=${PLANTED.token}#${PLANTED.fragment}`;
  return new URLSearchParams({ redirect_uri: callback, oobCode: PLANTED.oobCode, email: PLANTED.email }).toString();
};

test('recordings and logs contain no secret', async ({ context, page, services }) => {
  const { errors, stack } = services;
  const { appOrigin, platformOrigin } = stack.endpoints;
  const user = await createAccountsClient(stack.endpoints).create();
  const secrets = new Set<string>([...Object.values(PLANTED), user.password]);
  const signOuts = getEvents(services, 'signOut').length;
  await agree(context, services);
  await context.addCookies([{ name: 'planted', value: PLANTED.cookie, url: appOrigin }]);
  keepTokens(page, secrets);

  await page.goto(`${appOrigin}/sign-in?utm_source=mail&${plantedQuery()}#${PLANTED.fragment}`);
  await expect.poll(() => errors.items.get('replay_recording') ?? 0, { timeout: 20_000 }).toBeGreaterThan(0);
  await submitSignIn(page, { ...user, password: PLANTED.wrongPassword });
  await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toBeVisible();
  await failOnPage(page, `no answer from /api?token=${PLANTED.token} for ${PLANTED.email}`);
  const { loaded } = watchLibraries(page);
  await page.goto(`${appOrigin}/user/courses?oobCode=${PLANTED.oobCode}`);
  await expect.poll(() => loaded, { timeout: 20_000 }).toContain('analytics');
  await submitSignIn(page, user);
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
  await expect.poll(() => getEvents(services, 'Page View').length, { timeout: 20_000 }).toBeGreaterThan(0);
  await keepCookies(context, secrets);

  await page.goto(
    `${appOrigin}/user/courses?course=x&code=${PLANTED.oobCode}&email=${PLANTED.email}#${PLANTED.fragment}`,
  );
  await failOnPage(page, `cannot read /user/courses?email=${PLANTED.email} with cookie: planted=${PLANTED.cookie}`);
  await expect.poll(() => getEvents(services, 'Page View').length, { timeout: 20_000 }).toBeGreaterThan(1);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(/\/sign-in/);
  // The services are those of all tests of this worker.
  await expect.poll(() => getEvents(services, 'signOut').length, { timeout: 20_000 }).toBe(signOuts + 1);
  await page.goto(`${platformOrigin}/`);

  // Everything was received, so there is data to search.
  await expect.poll(() => errors.errors.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
  const kinds = ['event', 'transaction', 'replay_event', 'replay_recording'];
  await expect.poll(() => [...errors.items.keys()], { timeout: 20_000 }).toEqual(expect.arrayContaining(kinds));
  const signedIn = getEvents(services, 'signIn').filter(({ properties }) => properties.distinct_id === user.email);
  expect(signedIn[0]?.properties).toMatchObject({ provider: 'credentials', mode: 'signIn' });

  await keepCookies(context, secrets);
  expect(readFileSync(stack.appLog, 'utf8')).toContain('loading courses');
  expectAbsent(secrets, services, [user.email]);
});

test('recordings and logs of the other flows contain no secret', async ({ context, page, services }) => {
  const { errors, stack } = services;
  const { endpoints } = stack;
  const email = freshEmail();
  const secrets = new Set<string>([NEW_PASSWORD, OTHER_PASSWORD]);
  await agree(context, services);
  keepTokens(page, secrets);
  const { loaded } = watchLibraries(page);
  /** Opens a page and waits until it is recorded. */
  const open = async (address: string) => {
    loaded.length = 0;
    await page.goto(address);
    await expect.poll(() => loaded, { timeout: 20_000 }).toContain('error service');
  };

  await open(`${endpoints.appOrigin}/registration`);
  await page.getByLabel('Name', { exact: true }).fill('Mia Moreau');
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page).toHaveURL(/\/registration\/confirm\?/);
  await keepCookies(context, secrets);
  secrets.add(await codeFor(endpoints, email));
  const link = await linkFor(endpoints, email);
  keepParameters(link, secrets);
  await open(link);
  await failOnPage(page, `${link} could not be used by ${email}`);
  await expect(page).toHaveURL(/\/registration\/success$/);

  await open(`${endpoints.appOrigin}/forget-password`);
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Send reset code' }).click();
  const code = await codeFor(endpoints, email, 2);
  secrets.add(code);
  keepParameters(await linkFor(endpoints, email, 2), secrets);
  await keepCookies(context, secrets);
  await page.getByLabel('Code', { exact: true }).fill(code);
  await fillNewPassword(page, OTHER_PASSWORD);
  await failOnPage(page, `code=${code} failed`);
  await page.getByRole('button', { name: 'Reset password' }).click();
  await expect(page).toHaveURL(/\/forget-password\/confirmation$/);

  await open(`${endpoints.appOrigin}/sign-in/with-email-link`);
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Email me a sign-in link' }).click();
  // The response stores the email that the link is for.
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check your email');
  const signInLink = await linkFor(endpoints, email, 4);
  keepParameters(signInLink, secrets);
  await open(signInLink);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`^${endpoints.platformOrigin}`));

  const begun = beginSignIn(endpoints);
  keepParameters(begun.address, secrets);
  await open(begun.address);
  await page.getByRole('button', { name: 'Continue as Mia Moreau' }).click();
  const callback = await page.getByRole('link', { name: 'Open the app' }).getAttribute('href');
  keepParameters(callback ?? '', secrets);
  await keepCookies(context, secrets);
  const before = errors.errors.length;
  await failOnPage(page, `last of all ${callback ?? ''}`);
  await expect.poll(() => errors.errors.length, { timeout: 20_000 }).toBeGreaterThan(before);
  await page.goto(`${endpoints.platformOrigin}/`);

  expect(secrets.size).toBeGreaterThan(10);
  expectAbsent(secrets, services, [email]);
});
