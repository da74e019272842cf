import { SAMPLE_PASSWORD } from '../../scripts/lib/sample-users.mjs';
import { createPeople } from './people.mjs';

/** Email of the sample learner. */
export const EMAIL = 'learner@campus.test';

/**
 * Signs in without a browser. @returns {Promise<string>} the Cookie header of the session
 * @param {import('../../scripts/lib/stack.mjs').Endpoints} endpoints
 * @param {{ token?: string, headers?: Record<string, string> }} [options] `token`: an ID token, by default the sample
 *   learner's
 */
export async function signIn(endpoints, { token, headers } = {}) {
  const { appOrigin } = endpoints;
  const opened = await fetch(`${appOrigin}/api/create-user-session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: appOrigin, ...headers },
    body: JSON.stringify({ token: token ?? (await createPeople(endpoints).fetchToken({ email: EMAIL })) }),
  });
  if (!opened.ok) throw new Error(`No session: ${opened.status}`);
  return opened.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
}

/**
 * Opens the sign-in page, and types the sample learner's email and password.
 * @param {import('@playwright/test').Page} page
 * @param {string} url of the page, or of one that asks to sign in first
 */
export async function fillSignIn(page, url) {
  await page.goto(url);
  await page.getByLabel('Email', { exact: true }).fill(EMAIL);
  await page.getByLabel('Password', { exact: true }).fill(SAMPLE_PASSWORD);
}

/**
 * Signs the sample learner in with a browser.
 * @param {import('@playwright/test').Browser} browser
 * @param {string} url of a page that asks to sign in first
 * @returns {Promise<import('@playwright/test').Cookie[]>} the cookies of the session
 */
export async function signInWithBrowser(browser, url) {
  const page = await browser.newPage();
  await fillSignIn(page, url);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(url);
  const cookies = await page.context().cookies();
  await page.close();
  return cookies;
}
