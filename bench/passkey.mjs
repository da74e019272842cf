// Measures the time to the dashboard's first byte with a passkey and with the password, alternately on a phone's
// network (150 ms round trip): npm run bench -- passkey
import { BUDGETS } from './budgets.mjs';
import { byTurns } from './lib/by-turns.mjs';
import { atMost } from './lib/limits.mjs';
import { median } from './lib/median.mjs';
import { fillSignIn } from './lib/sign-in.mjs';
import { measureToDashboard, press } from './lib/to-dashboard.mjs';
import { loadSource } from '../scripts/lib/source-loader.mjs';

const ROUNDS = 15;
const { addAuthenticator } = loadSource('/tests/support/authenticator.ts');

/** @typedef {import('../scripts/lib/stack.mjs').Endpoints} Endpoints */

/** @type {import('./bench.mjs').Bench} */
export async function passkey({ endpoints, browser }) {
  const credential = await createPasskey(browser, endpoints);
  const [byPasskey, byPassword] = await byTurns(
    ROUNDS,
    () => measureTime(browser, endpoints, credential, 'Sign in with a passkey'),
    () => measureTime(browser, endpoints, credential, 'Sign in'),
  );
  return [
    { what: 'passkey to dashboard', value: Math.round(median(byPasskey)), unit: 'ms' },
    { what: 'password to dashboard', value: Math.round(median(byPassword)), unit: 'ms' },
    atMost('ratio', Number((median(byPasskey) / median(byPassword)).toFixed(2)), '', BUDGETS.passkey),
  ];
}

/**
 * Signs in with the password, and accepts the offer of a passkey. @param {import('@playwright/test').Browser} browser
 * @param {Endpoints} endpoints
 */
async function createPasskey(browser, endpoints) {
  const page = await browser.newPage();
  const authenticator = await addAuthenticator(page);
  await fillSignIn(page, `${endpoints.appOrigin}/sign-in`);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: 'Create a passkey' }).click();
  await page.waitForURL(`${endpoints.platformOrigin}/user/dashboard`);
  const [credential] = await authenticator.credentials();
  await page.close();
  if (!credential) throw new Error('No passkey was created');
  return credential;
}

/** @typedef {Awaited<ReturnType<typeof createPasskey>>} Credential */

/** @param {import('@playwright/test').Browser} browser @param {Endpoints} endpoints @param {Credential} credential @param {string} button */
async function measureTime(browser, endpoints, credential, button) {
  const page = await browser.newPage();
  const authenticator = await addAuthenticator(page);
  // The authenticator of each round is new, but its counter must not go back.
  credential.signCount += 1;
  await authenticator.add(credential);
  await page.addInitScript(() => {
    localStorage.setItem('passkey-offered', '1');
    // The autofill of a real browser waits for its user.
    const { credentials } = navigator;
    const get = credentials.get.bind(credentials);
    credentials.get = (options) =>
      options?.mediation === 'conditional'
        ? new Promise((_, reject) =>
            options.signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError'))),
          )
        : get(options);
  });
  await fillSignIn(page, `${endpoints.appOrigin}/sign-in`);
  await page.getByRole('button', { name: button, exact: true }).hover();
  return measureToDashboard(page, endpoints, () => press(page, button));
}
