/**
 * Measures sign-in while analytics and error reporting are up, slow, failing, unresponsive or blocked. The results are
 * ratios to the same app without them, all in the same run. If a password manager signs in immediately, the time starts
 * with opening the page. If the learner types for a while, it starts with selecting the button. Both end at the first
 * byte of the dashboard. Usage: npm run bench:services -- [rounds] [cases, as `well,slow`]
 */
import { createServer } from 'node:http';
import { stopServicesOnExit } from '../scripts/lib/processes.mjs';
import { startStack } from '../scripts/lib/stack.mjs';
import { median } from './lib/median.mjs';
import { fillSignIn } from './lib/sign-in.mjs';
import { launchBrowser } from './lib/stage.mjs';

const ROUNDS = Number(process.argv[2] ?? 10);
const NAMES = process.argv[3]?.split(',') ?? ['healthy', 'slow', 'failing', 'silent', 'blocked'];
const SLOW = 10_000;
/** Time that a fast typist needs, in milliseconds. Both libraries are loaded by then. */
const TYPING = 4_000;

let mode = 'healthy';
const service = createServer((req, res) => {
  req.resume();
  res.setHeader('access-control-allow-origin', req.headers.origin ?? '*');
  res.setHeader('access-control-allow-credentials', 'true');
  if (mode === 'failing') res.statusCode = 500;
  if (mode === 'slow') setTimeout(() => res.end('{}'), SLOW).unref();
  else if (mode !== 'silent') res.end('{}');
});
await new Promise((ready) => service.listen(0, '127.0.0.1', () => ready(undefined)));
const address = service.address();
const port = typeof address === 'object' && address ? address.port : 0;

stopServicesOnExit();
const bare = await startStack({ name: 'bench-without' });
const observed = await startStack({
  name: 'bench-with',
  env: {
    NEXT_PUBLIC_SENTRY_DSN: `http://key@127.0.0.1:${port}/42`,
    NEXT_PUBLIC_MIXPANEL_TOKEN: 'project-token',
    NEXT_PUBLIC_MIXPANEL_API_HOST: `http://127.0.0.1:${port}`,
  },
});
const browser = await launchBrowser();

/** @typedef {{ endpoints: import('../scripts/lib/stack.mjs').Endpoints, atOnce: number[], afterTyping: number[] }} Case */
/** @type {Record<string, Case>} */
const cases = { without: { endpoints: bare.endpoints, atOnce: [], afterTyping: [] } };
for (const name of NAMES) cases[name] = { endpoints: observed.endpoints, atOnce: [], afterTyping: [] };

// Interleave the cases, so that other load on the machine affects all of them. The first round is not counted.
for (let round = 0; round <= ROUNDS; round += 1)
  for (const [name, { endpoints, atOnce, afterTyping }] of Object.entries(cases)) {
    mode = name;
    const times = [await signInTime(name, endpoints, 0), await signInTime(name, endpoints, TYPING)];
    if (round === 0) continue;
    atOnce.push(times[0] ?? NaN);
    afterTyping.push(times[1] ?? NaN);
  }

const against = (/** @type {'atOnce' | 'afterTyping'} */ how, /** @type {Case} */ one) =>
  Number((median(one[how]) / median(cases.without?.[how] ?? [])).toFixed(2));
console.table(
  Object.fromEntries(
    Object.entries(cases).map(([name, one]) => [
      name,
      {
        'at once, ms': Math.round(median(one.atOnce)),
        ratio: against('atOnce', one),
        'after typing, ms': Math.round(median(one.afterTyping)),
        'ratio ': against('afterTyping', one),
      },
    ]),
  ),
);
await browser.close();
await Promise.all([bare.stop(), observed.stop()]);
service.closeAllConnections();
service.close();

/**
 * Signs in as a learner who consented to analytics. @returns milliseconds to the first byte of the dashboard
 * @param {string} name @param {import('../scripts/lib/stack.mjs').Endpoints} endpoints @param {number} typing
 */
async function signInTime(name, { appOrigin, platformOrigin }, typing) {
  const context = await browser.newContext();
  await context.addCookies([{ name: 'marketing-consent', value: 'true', url: appOrigin }]);
  if (name === 'blocked')
    await context.route(/:\d+\/(monitoring|track|engage)/, (/** @type {import('@playwright/test').Route} */ route) =>
      route.abort(),
    );
  const page = await context.newPage();
  let started = performance.now();
  await fillSignIn(page, `${appOrigin}/sign-in`);
  if (typing > 0) {
    await page.waitForTimeout(typing);
    started = performance.now();
  }
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(`${platformOrigin}/user/dashboard`, { waitUntil: 'commit' });
  const time = performance.now() - started;
  await context.close();
  return time;
}
