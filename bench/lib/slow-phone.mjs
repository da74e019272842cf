import { gzipSync } from 'node:zlib';

/** 390×844, a CPU throttled to a quarter of its speed, 150 ms round trip, 1.6 Mbit/s. */
const VIEWPORT = { width: 390, height: 844 };
const NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
const SLOWER = Number(process.env.CPU_SLOWDOWN ?? 4);

/**
 * @typedef {{ usableJs: number, idleJs: number, css: number, ready: number, paint: number, largestPaint: number,
 *   totalBlocking: number, layoutShift: number }} Visit bytes gzip, milliseconds; `ready`: when the page became usable
 */

/**
 * Opens a page as a new visitor with a phone, focuses its first field, and waits until the network is idle.
 * @param {import('@playwright/test').Browser} browser
 * @param {string} url
 * @param {{ slow?: boolean, cookies?: import('@playwright/test').Cookie[] }} [options] `slow`: whether CPU and network
 *   are throttled, which sizes do not need. `cookies`: of the visitor, for a page that belongs to a browser
 * @returns {Promise<Visit>}
 */
export async function visit(browser, url, { slow = true, cookies = [] } = {}) {
  const page = await openPhone(browser, slow);
  await page.context().addCookies(cookies);
  /** @type {Promise<{ url: string, bytes: number }>[]} */
  const files = [];
  page.on('response', (response) => {
    if (/\.(js|css)$/.test(new URL(response.url()).pathname)) files.push(measureSize(response));
  });
  await page.goto(url, { waitUntil: 'load' });
  await page.waitForFunction(() => document.documentElement.hasAttribute('data-ready'));
  await page.waitForLoadState('networkidle');
  const asked = new Set(await page.evaluate(() => /** @type {any} */ (globalThis).measured.askedBeforeReady()));
  const times = await page.evaluate(() => /** @type {any} */ (globalThis).measured.times());
  const inlineCss = gzipSync(await inlineStyles(page), { level: 6 }).length;
  const field = page.locator('main form input').first();
  if (await field.count()) {
    await field.focus();
    await page.keyboard.type('a');
    // Wait for modules that are loaded by other lazy-loaded modules.
    await page.waitForTimeout(500);
    await page.waitForLoadState('networkidle');
  }
  const sizes = await Promise.all(files);
  await page.context().close();
  const total = (/** @type {(file: { url: string }) => boolean} */ counts) =>
    sizes.filter(counts).reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    usableJs: total((file) => isScript(file) && asked.has(file.url)),
    idleJs: total(isScript),
    css: total((file) => !isScript(file)) + inlineCss,
    ...times,
  };
}

/** @param {{ url: string }} file */
function isScript({ url }) {
  return new URL(url).pathname.endsWith('.js');
}

/**
 * Measures the first contentful paint of any page for such a visitor, in milliseconds.
 * @param {import('@playwright/test').Browser} browser
 * @param {string} url
 * @returns {Promise<number>}
 */
export async function measurePaint(browser, url) {
  const page = await openPhone(browser, true);
  await page.goto(url, { waitUntil: 'load' });
  await page.waitForFunction(() => !Number.isNaN(/** @type {any} */ (globalThis).measured.times().paint));
  const paint = await page.evaluate(() => /** @type {any} */ (globalThis).measured.times().paint);
  await page.context().close();
  return paint;
}

/**
 * Opens a new visitor's phone, with an instrumented page.
 * @param {import('@playwright/test').Browser} browser
 * @param {boolean} slow
 */
async function openPhone(browser, slow) {
  const context = await browser.newContext({ viewport: VIEWPORT, isMobile: true, hasTouch: true });
  const page = await context.newPage();
  await page.addInitScript(watch);
  if (slow) await holdBack(page);
  return page;
}

/** @param {import('@playwright/test').Page} page */
export async function slowNetwork(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', NETWORK);
  return session;
}

/** @param {import('@playwright/test').Page} page */
async function holdBack(page) {
  const session = await slowNetwork(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
}

/** @param {import('@playwright/test').Page} page */
function inlineStyles(page) {
  return page.evaluate(() => [...document.querySelectorAll('style')].map(({ textContent }) => textContent).join('\n'));
}

/** @param {import('@playwright/test').Response} response */
async function measureSize(response) {
  const body = await response.body().catch(() => Buffer.alloc(0));
  return { url: response.url(), bytes: gzipSync(body, { level: 6 }).length };
}

/** Runs in the page, before its own scripts. */
function watch() {
  let ready = NaN;
  let [paint, largestPaint, layoutShift] = [NaN, NaN, 0];
  /** @type {{ startTime: number, duration: number }[]} */
  const tasks = [];
  const observe = (/** @type {string} */ type, /** @type {(entry: any) => void} */ note) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  observe('paint', ({ name, startTime }) => name === 'first-contentful-paint' && (paint = startTime));
  observe('largest-contentful-paint', ({ startTime }) => (largestPaint = startTime));
  observe('layout-shift', ({ value, hadRecentInput }) => (layoutShift += hadRecentInput ? 0 : value));
  observe('longtask', (task) => tasks.push(task));
  new MutationObserver(() => {
    if (Number.isNaN(ready) && document.documentElement?.hasAttribute('data-ready')) ready = performance.now();
  }).observe(document, { attributes: true, subtree: true });
  /** @type {any} */ (globalThis).measured = {
    askedBeforeReady: () =>
      performance
        .getEntriesByType('resource')
        .filter(({ startTime }) => startTime <= ready)
        .map(({ name }) => name),
    times: () => ({
      ...{ ready, paint, largestPaint, layoutShift },
      totalBlocking: tasks
        .filter(({ startTime }) => startTime >= paint)
        .reduce((sum, { duration }) => sum + Math.max(0, duration - 50), 0),
    }),
  };
}
