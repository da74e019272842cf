import type { Page } from '@playwright/test';
import { expect } from '../fixtures';
import { submitSignIn } from '../journeys';
import type { TestUser } from '../accounts-client';
import { CLIENT_NAME, type Site } from './issuer';

/** A name with letters of more than one script, which platforms must show. */
export const NAME = 'Zoë Łukasiewicz 李小龍';

/** An address with a query, because a learner follows a link to a lesson. */
const WANTED = '/courses/7?week=2';

const expectAnswer = (page: Page, words: string | RegExp) => expect(page.locator('#answer')).toHaveText(words);

const expectSignedIn = (page: Page, { name, uid }: TestUser) => expectAnswer(page, `Signed in as ${name}, ${uid}`);

/** @param button the button at the relying party that sends the learner to sign in */
export async function signInToWanted(page: Page, { origin, appOrigin }: Site, user: TestUser, button?: string) {
  await page.goto(origin + WANTED);
  if (button !== undefined) await page.getByRole('button', { name: button }).click();
  await page.waitForURL(`${appOrigin}/sign-in**`);
  await expect(page.getByRole('main')).toContainText(CLIENT_NAME);
  await submitSignIn(page, user);
  await expect(page).toHaveURL(origin + WANTED);
  await expectSignedIn(page, user);
}

/**
 * Removes the relying party's session, wherever it is kept, and signs in silently. The browser's session at the
 * provider stays.
 */
export async function signInSilently(page: Page, { origin }: Site, user: TestUser) {
  await page.context().clearCookies({ domain: new URL(origin).hostname });
  await page.evaluate(() => sessionStorage.clear());
  await page.goto(`${origin}/silent`);
  await expectSignedIn(page, user);
}

/** Begins at the relying party, and ends its own session and ours. */
export async function signOutAtParty(page: Page, { origin, appOrigin }: Site) {
  await page.goto(`${origin}/sign-out`);
  await page.waitForURL(`${appOrigin}/sign-out**`);
  await confirmSignOut(page);
  await expect(page).toHaveURL(`${origin}/`);
  await expectAnswer(page, 'Signed out');
}

/** Expects that a silent sign-in of a signed-out browser is refused. */
export async function expectRefused(page: Page, { origin }: Site) {
  await page.goto(`${origin}/silent`);
  await expectAnswer(page, 'login_required');
}

/** Begins on our page. */
export async function signOutAtProvider(page: Page, { appOrigin }: Site) {
  await page.goto(`${appOrigin}/sign-out`);
  await confirmSignOut(page);
  await page.waitForURL(`${appOrigin}/sign-in`);
}

/** Begins on our page, which names the relying party that cannot be notified, before and after the sign-out. */
export async function signOutWithoutNotice(page: Page, { appOrigin }: Site) {
  const main = page.getByRole('main');
  await page.goto(`${appOrigin}/sign-out`);
  await expect(main).toContainText(CLIENT_NAME);
  await confirmSignOut(page);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText("You're signed out of Campus");
  await expect(main).toContainText(CLIENT_NAME);
  await main.getByRole('link', { name: 'Continue' }).click();
  await page.waitForURL(`${appOrigin}/sign-in`);
}

const confirmSignOut = (page: Page) => page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();

/** The relying party was notified, so it asks for a sign-in. */
export async function expectSignedOut(page: Page, { origin, appOrigin }: Site) {
  const open = async () => {
    await page.goto(origin + WANTED);
    return page.url();
  };
  await expect.poll(open).toContain(`${appOrigin}/sign-in`);
}

/** The relying party cannot be notified, so its own session continues. */
export async function expectStillSignedIn(page: Page, { origin }: Site, user: TestUser) {
  await page.goto(origin + WANTED);
  await expectSignedIn(page, user);
}
