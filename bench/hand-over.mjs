// From selecting `Sign in` to the dashboard's first byte, against the same requests without the app, both on a phone's
// network (150 ms round trip): npm run bench -- handover
import { SAMPLE_PASSWORD } from '../scripts/lib/sample-users.mjs';
import { BUDGETS } from './budgets.mjs';
import { slowNetwork } from './lib/slow-phone.mjs';
import { median } from './lib/median.mjs';

const ROUNDS = 15;
const EMAIL = 'learner@campus.test';

/** @type {import('./bench.mjs').Bench} */
export async function handOver({ endpoints, browser }) {
  const [ours, bare] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  // Alternate which one runs first; the first round is a warm-up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const pair = [
      async () => ours.push(await measureTime(browser, endpoints, (page) => press(page))),
      async () => bare.push(await measureTime(browser, endpoints, callBare)),
    ];
    for (const one of round % 2 ? pair.reverse() : pair) await one();
    if (round === 0) ours.length = bare.length = 0;
  }
  const ratio = Number((median(ours) / median(bare)).toFixed(2));
  return [
    { what: 'sign-in to dashboard', value: Math.round(median(ours)), unit: 'ms' },
    { what: 'the same calls, bare', value: Math.round(median(bare)), unit: 'ms' },
    { what: 'ratio', value: ratio, unit: '', budget: `≤ ${BUDGETS.handOver}`, ok: ratio <= BUDGETS.handOver },
  ];
}

/**
 * @typedef {import('@playwright/test').Page} Page
 * @typedef {import('../scripts/lib/stack.mjs').Endpoints} Endpoints
 * @param {import('@playwright/test').Browser} browser @param {Endpoints} endpoints
 * @param {(page: Page, endpoints: Endpoints) => Promise<number>} begin signs in. @returns its start time, Unix milliseconds
 */
async function measureTime(browser, endpoints, begin) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${endpoints.appOrigin}/sign-in`);
  await page.getByLabel('Email', { exact: true }).fill(EMAIL);
  await page.getByLabel('Password', { exact: true }).fill(SAMPLE_PASSWORD);
  await page.waitForLoadState('networkidle');
  await page.waitForTimeout(500);
  await slowNetwork(page);
  const began = await begin(page, endpoints);
  await page.waitForURL(`${endpoints.platformOrigin}/user/dashboard`, { waitUntil: 'commit' });
  const firstByte = await page.evaluate(
    () => performance.timeOrigin + (performance.getEntriesByType('navigation')[0]?.toJSON().responseStart ?? NaN),
  );
  await context.close();
  return firstByte - began;
}

/** Selects a button. @param {Page} page @returns the time of the click, Unix milliseconds */
export async function press(page, button = 'Sign in') {
  const began = page.evaluate(
    () =>
      new Promise((/** @type {(time: number) => void} */ resolve) =>
        addEventListener('click', ({ timeStamp }) => resolve(performance.timeOrigin + timeStamp), { capture: true }),
      ),
  );
  await page.getByRole('button', { name: button, exact: true }).click();
  return began;
}

/**
 * The requests that the identity provider's SDK and this app send, and no others. @param {Page} page @param {Endpoints}
 * endpoints
 */
function callBare(page, { emulatorHost, platformOrigin }) {
  return page.evaluate(
    async ({ provider, email, password, dashboard }) => {
      const post = async (/** @type {string} */ url, /** @type {object} */ body) => {
        const headers = { 'content-type': 'application/json' };
        const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
        if (!answer.ok) throw new Error(`${url}: ${String(answer.status)}`);
        return answer.json();
      };
      const began = performance.timeOrigin + performance.now();
      const { idToken } = await post(`${provider}:signInWithPassword?key=any`, {
        ...{ email, password, returnSecureToken: true },
      });
      await post(`${provider}:lookup?key=any`, { idToken });
      await post('/api/create-user-session', { token: idToken });
      setTimeout(() => location.replace(dashboard));
      return began;
    },
    {
      provider: `http://${emulatorHost}/identitytoolkit.googleapis.com/v1/accounts`,
      ...{ email: EMAIL, password: SAMPLE_PASSWORD, dashboard: `${platformOrigin}/user/dashboard` },
    },
  );
}
