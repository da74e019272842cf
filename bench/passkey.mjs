// From the press to the dashboard's first byte, with a passkey and with the password, by turns on a phone's network (150 ms
// round trip): npm run bench -- passkey
import { BUDGETS } from './budgets.mjs';
import { press } from './hand-over.mjs';
import { slowNetwork } from './lib/slow-phone.mjs';
import { median } from './lib/median.mjs';
import { SAMPLE_PASSWORD } from '../scripts/lib/sample-users.mjs';

const ROUNDS = 15;
const EMAIL = 'learner@campus.test';

/**
 * @typedef {import('@playwright/test').Page} Page
 * @typedef {import('../scripts/lib/stack.mjs').Endpoints} Endpoints
 */

/** @type {import('./bench.mjs').Bench} */
export async function passkey({ endpoints, browser }) {
  const credential = await createPasskey(browser, endpoints);
  const [byPasskey, byPassword] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  // Alternate which one runs first; the first round is a warm-up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const pair = [
      async () => byPasskey.push(await measureTime(browser, endpoints, credential, 'Sign in with a passkey')),
      async () => byPassword.push(await measureTime(browser, endpoints, credential, 'Sign in')),
    ];
    for (const one of round % 2 ? pair.reverse() : pair) await one();
    if (round === 0) byPasskey.length = byPassword.length = 0;
  }
  const ratio = Number((median(byPasskey) / median(byPassword)).toFixed(2));
  return [
    { what: 'passkey to dashboard', value: Math.round(median(byPasskey)), unit: 'ms' },
    { what: 'password to dashboard', value: Math.round(median(byPassword)), unit: 'ms' },
    { what: 'ratio', value: ratio, unit: '', budget: `≤ ${BUDGETS.passkey}`, ok: ratio <= BUDGETS.passkey },
  ];
}

/** @param {Page} page */
async function addAuthenticator(page) {
  const client = await page.context().newCDPSession(page);
  await client.send('WebAuthn.enable', { enableUI: false });
  const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      defaultBackupEligibility: true,
      defaultBackupState: true,
    },
  });
  return { client, authenticatorId };
}

/** Signs in with the password, and takes the offer. @param {import('@playwright/test').Browser} browser @param {Endpoints} endpoints */
async function createPasskey(browser, endpoints) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const { client, authenticatorId } = await addAuthenticator(page);
  await page.goto(`${endpoints.appOrigin}/sign-in`);
  await page.getByLabel('Email', { exact: true }).fill(EMAIL);
  await page.getByLabel('Password', { exact: true }).fill(SAMPLE_PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: 'Create a passkey' }).click();
  await page.waitForURL(`${endpoints.platformOrigin}/user/dashboard`);
  const { credentials } = await client.send('WebAuthn.getCredentials', { authenticatorId });
  await context.close();
  const [credential] = credentials;
  if (!credential) throw new Error('No passkey was created');
  return credential;
}

/** @typedef {Awaited<ReturnType<typeof createPasskey>>} Credential */

/** @param {import('@playwright/test').Browser} browser @param {Endpoints} endpoints @param {Credential} credential @param {string} button */
async function measureTime(browser, endpoints, credential, button) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const { client, authenticatorId } = await addAuthenticator(page);
  // The authenticator of each round is new: its counter must not go back.
  credential.signCount += 1;
  await client.send('WebAuthn.addCredential', { authenticatorId, credential });
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
  await page.goto(`${endpoints.appOrigin}/sign-in`);
  await page.getByLabel('Email', { exact: true }).fill(EMAIL);
  await page.getByLabel('Password', { exact: true }).fill(SAMPLE_PASSWORD);
  await page.getByRole('button', { name: button, exact: true }).hover();
  await page.waitForLoadState('networkidle');
  await page.waitForTimeout(500);
  await slowNetwork(page);
  const began = await press(page, button);
  await page.waitForURL(`${endpoints.platformOrigin}/user/dashboard`, { waitUntil: 'commit' });
  const firstByte = await page.evaluate(
    () => performance.timeOrigin + (performance.getEntriesByType('navigation')[0]?.toJSON().responseStart ?? NaN),
  );
  await context.close();
  return firstByte - began;
}
