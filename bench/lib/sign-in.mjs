import { SAMPLE_PASSWORD } from '../../scripts/lib/sample-users.mjs';

/**
 * Signs the sample learner in without a browser. @returns {Promise<string>} the Cookie header of the session
 * @param {import('../../scripts/lib/stack.mjs').Endpoints} endpoints
 */
export async function signIn({ appOrigin, emulatorHost }) {
  const provider = `http://${emulatorHost}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=any`;
  const user = { email: 'learner@campus.test', password: SAMPLE_PASSWORD, returnSecureToken: true };
  const { idToken } = await (await post(provider, user)).json();
  const opened = await post(`${appOrigin}/api/create-user-session`, { token: idToken }, appOrigin);
  return opened.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
}

/** @param {string} url @param {object} body @param {string} [origin] */
async function post(url, body, origin) {
  const headers = { 'content-type': 'application/json', ...(origin ? { origin } : {}) };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return answer;
}

/**
 * Signs the sample learner in with a browser, which knows of the other build only its address.
 * @param {import('@playwright/test').Browser} browser
 * @param {string} origin
 * @param {string} path of the app, which asks to sign in first
 * @returns {Promise<import('@playwright/test').Cookie[]>} the cookies of the session
 */
export async function signInWithBrowser(browser, origin, path) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(origin + path);
  await page.getByLabel('Email', { exact: true }).fill('learner@campus.test');
  await page.getByLabel('Password', { exact: true }).fill(SAMPLE_PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(origin + path);
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}
