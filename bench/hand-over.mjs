// Measures the time from selecting `Sign in` to the dashboard's first byte, relative to the same requests without the
// app. Both use a phone's network (150 ms round trip): npm run bench -- handover
import { SAMPLE_PASSWORD } from '../scripts/lib/sample-users.mjs';
import { BUDGETS } from './budgets.mjs';
import { byTurns } from './lib/by-turns.mjs';
import { atMost } from './lib/limits.mjs';
import { median } from './lib/median.mjs';
import { EMAIL, fillSignIn } from './lib/sign-in.mjs';
import { measureToDashboard, press } from './lib/to-dashboard.mjs';

const ROUNDS = 15;

/** @type {import('./bench.mjs').Bench} */
export async function handOver({ endpoints, browser }) {
  const [ours, bare] = await byTurns(
    ROUNDS,
    () => measureTime(browser, endpoints, press),
    () => measureTime(browser, endpoints, (page) => callBare(page, endpoints)),
  );
  return [
    { what: 'sign-in to dashboard', value: Math.round(median(ours)), unit: 'ms' },
    { what: 'the same calls, bare', value: Math.round(median(bare)), unit: 'ms' },
    atMost('ratio', Number((median(ours) / median(bare)).toFixed(2)), '', BUDGETS.handOver),
  ];
}

/**
 * @typedef {import('@playwright/test').Page} Page
 * @typedef {import('../scripts/lib/stack.mjs').Endpoints} Endpoints
 * @param {import('@playwright/test').Browser} browser @param {Endpoints} endpoints @param {(page: Page) => Promise<number>} begin
 */
async function measureTime(browser, endpoints, begin) {
  const page = await browser.newPage();
  await fillSignIn(page, `${endpoints.appOrigin}/sign-in`);
  return measureToDashboard(page, endpoints, begin);
}

/**
 * Sends only the requests of the identity provider and of this app.
 * @param {Page} page
 * @param {Endpoints} endpoints
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
