// ASVS: 10.1.1
// Threats: code-leak
import { expect } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { createAccountsClient } from '../support/accounts-client';
import { submitSignIn } from '../support/journeys';
import { agree, getEvents, failOnPage, test, watchLibraries } from '../support/services';
import { expectAbsent, keepCookies, keepTokens } from '../support/secrets';

test.describe.configure({ mode: 'serial', timeout: 240_000 });

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
  await expect.poll(() => errors.items.get('replay_recording') ?? 0, { timeout: 60_000 }).toBeGreaterThan(0);
  await submitSignIn(page, { ...user, password: PLANTED.wrongPassword });
  await expect(page.getByRole('alert').filter({ hasText: /\S/ })).toBeVisible();
  await failOnPage(page, `no answer from /api?token=${PLANTED.token} for ${PLANTED.email}`);
  const { loaded } = watchLibraries(page);
  await page.goto(`${appOrigin}/user/courses?oobCode=${PLANTED.oobCode}`);
  await expect.poll(() => loaded, { timeout: 60_000 }).toContain('analytics');
  await submitSignIn(page, user);
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
  await expect.poll(() => getEvents(services, 'Page View').length, { timeout: 60_000 }).toBeGreaterThan(0);
  await keepCookies(context, secrets);

  await page.goto(
    `${appOrigin}/user/courses?course=x&code=${PLANTED.oobCode}&email=${PLANTED.email}#${PLANTED.fragment}`,
  );
  await failOnPage(page, `cannot read /user/courses?email=${PLANTED.email} with cookie: planted=${PLANTED.cookie}`);
  await expect.poll(() => getEvents(services, 'Page View').length, { timeout: 60_000 }).toBeGreaterThan(1);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(/\/sign-in/);
  // All tests of this worker share these services.
  await expect.poll(() => getEvents(services, 'signOut').length, { timeout: 60_000 }).toBe(signOuts + 1);
  await page.goto(`${platformOrigin}/`);

  // Everything has arrived, so there is data to search.
  await expect.poll(() => errors.errors.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(3);
  const kinds = ['event', 'transaction', 'replay_event', 'replay_recording'];
  await expect.poll(() => [...errors.items.keys()], { timeout: 60_000 }).toEqual(expect.arrayContaining(kinds));
  const signedIn = getEvents(services, 'signIn').filter(({ properties }) => properties.distinct_id === user.email);
  expect(signedIn[0]?.properties).toMatchObject({ provider: 'credentials', mode: 'signIn' });

  await keepCookies(context, secrets);
  expect(readFileSync(stack.appLog, 'utf8')).toContain('loading courses');
  expectAbsent(secrets, services, [user.email]);
});
