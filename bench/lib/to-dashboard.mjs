import { slowNetwork } from './slow-phone.mjs';

/**
 * Measures a sign-in on a phone's network with a filled form, and closes the browser.
 * @typedef {import('@playwright/test').Page} Page
 * @param {Page} page
 * @param {import('../../scripts/lib/stack.mjs').Endpoints} endpoints
 * @param {(page: Page) => Promise<number>} begin signs in. @returns its start time, Unix milliseconds
 * @returns {Promise<number>} milliseconds until the dashboard's first byte
 */
export async function measureToDashboard(page, { platformOrigin }, begin) {
  await page.waitForLoadState('networkidle');
  await page.waitForTimeout(500);
  await slowNetwork(page);
  const began = await begin(page);
  await page.waitForURL(`${platformOrigin}/user/dashboard`, { waitUntil: 'commit' });
  const firstByte = await page.evaluate(
    () => performance.timeOrigin + (performance.getEntriesByType('navigation')[0]?.toJSON().responseStart ?? NaN),
  );
  await page.context().close();
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
