import AxeBuilder from '@axe-core/playwright';
import {
  alertOf,
  askForReset,
  fillNewPassword,
  freshEmail,
  linkFor,
  NEW_PASSWORD,
  register,
} from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { cookieHeader, expectDashboard, sessionStatus, signIn, submitSignIn } from '../support/journeys';

test('a code leaves the address before any page is shown, and stays out of the history', async ({
  page,
  places,
  person,
}) => {
  await askForReset(page, places, person.email);
  const link = await linkFor(places, person.email);
  const code = new URL(link).searchParams.get('oobCode') ?? '';
  const seen: string[] = [];
  page.on('request', (request) => seen.push(request.url(), request.headers().referer ?? ''));
  await page.goto(link);
  await expect(page.getByLabel('New password', { exact: true })).toBeVisible();
  const withCode = seen.filter((address) => address.includes(code));
  expect(withCode).toEqual([link]);
  const kept = await page.evaluate(() =>
    JSON.stringify([location.href, history.state, document.referrer, { ...localStorage }, { ...sessionStorage }]),
  );
  expect(kept).not.toContain(code);
  await page.reload();
  await expect(page.getByLabel('New password', { exact: true })).toBeVisible();
});

test('a link that leads on leads only where callbacks may', async ({ page, places, person, browser }) => {
  const course = `${places.platformOrigin}/user/courses/the-night-sky`;
  for (const [continueUrl, end] of [
    [course, course],
    ['https://evil.test/', `${places.platformOrigin}/user/dashboard`],
  ] as const) {
    const context = await browser.newContext();
    const visitor = await context.newPage();
    await askForReset(page, places, person.email);
    const link = new URL(await linkFor(places, person.email, end === course ? 1 : 3));
    link.searchParams.set('continueUrl', continueUrl);
    await visitor.goto(link.href);
    await fillNewPassword(visitor);
    await visitor.getByRole('button', { name: 'Reset password' }).click();
    await visitor.getByRole('link', { name: 'Sign in' }).click();
    await expect(visitor.getByLabel('Email', { exact: true })).toHaveValue(person.email);
    await visitor.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD);
    await visitor.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(visitor).toHaveURL(end);
    await context.close();
  }
});

test('someone else who is signed in decides first', async ({ page, context, places, person, people }) => {
  const owner = await people.create();
  await askForReset(page, places, owner.email);
  const link = await linkFor(places, owner.email);
  await signIn(page, places, person);
  const cookie = await cookieHeader(context, places);
  await page.goto(link);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Someone else is signed in');
  await expect(page.getByText(person.email)).toBeVisible();
  await page.getByRole('button', { name: 'Sign out and use the link' }).click();
  await expect(page.getByLabel('New password', { exact: true })).toBeVisible();
  await expect(page.getByText(owner.email)).toBeVisible();
  expect(await sessionStatus(places, cookie)).toBe(401);
  await fillNewPassword(page);
  await page.getByRole('button', { name: 'Reset password' }).click();
  await expect(page).toHaveURL(`${places.appOrigin}/forget-password/confirmation`);
});

test('a confirmation link used twice leads on, and one that never was as well', async ({ page, places, browser }) => {
  const email = freshEmail();
  await register(page, places, email);
  const link = await linkFor(places, email);
  const other = await (await browser.newContext()).newPage();
  await other.goto(link);
  await other.getByRole('button', { name: 'Verify' }).click();
  await expect(other).toHaveURL(`${places.appOrigin}/registration/success`);
  for (const address of [link, `${places.appOrigin}/actions?mode=verifyEmail&oobCode=made-up`]) {
    await other.goto(address);
    await expect(other.getByText('This link does not work.')).toBeVisible();
    await expect(other.getByRole('link', { name: 'Go to sign-in' })).toBeVisible();
  }
  // Once signed in, the same link says what is true: it is done.
  await other.goto(`${places.appOrigin}/sign-in`);
  await submitSignIn(other, { email, password: NEW_PASSWORD });
  await expectDashboard(other, places, { name: 'Mia Moreau' });
  await other.goto(link);
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Your e-mail is confirmed');
  await other.getByRole('button', { name: 'Continue' }).click();
  await expectDashboard(other, places, { name: 'Mia Moreau' });
  // Where the registration is still under way, a new code is one press away.
  await page.goto(`${places.appOrigin}/actions?mode=verifyEmail&oobCode=made-up`);
  await page.getByRole('link', { name: 'Send a new one' }).click();
  await expect(page).toHaveURL(`${places.appOrigin}/registration/confirm`);
  await other.context().close();
});

test('a sign-in link asks for the address on another device', async ({ page, places, person, people }) => {
  const code = await people.signInCode(person);
  await page.goto(`${places.appOrigin}/actions?mode=signIn&oobCode=${code}`);
  await page.getByLabel('Email', { exact: true }).fill('somebody-else@campus.test');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(alertOf(page)).toContainText('sent to another address');
  await page.getByLabel('Email', { exact: true }).fill(person.email);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expectDashboard(page, places, person);
});

test('a used sign-in link says so', async ({ page, places }) => {
  await page.goto(`${places.appOrigin}/actions?mode=signIn&oobCode=made-up`);
  await expect(page.getByText('This link has expired or was used already.')).toBeVisible();
});

for (const query of [
  '',
  '?mode=recoverEmail&oobCode=x',
  '?oobCode=',
  '?mode=signIn&oobCode=a&oobCode=b',
  `?mode=signIn&oobCode=${'a'.repeat(600)}`,
])
  test(`an address without a usable link leads on: "${query.slice(0, 40)}"`, async ({ page, places }) => {
    await page.goto(`${places.appOrigin}/actions${query}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Something is missing');
    await expect(page).toHaveURL(`${places.appOrigin}/actions`);
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  });
