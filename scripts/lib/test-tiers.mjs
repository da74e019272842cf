/**
 * Files of the second tier: `npm test` leaves them out, `npm run test:all` runs them too. The name alone decides
 * (CONTRIBUTING.md, "Two tiers").
 */
const NIGHTLY = '**/*.nightly.{test,spec}.{ts,tsx}';

/** What this run leaves out: nothing in a test command for chosen files. */
export const leftOut = ['first', 'quick'].includes(process.env.TEST_TIER ?? '') ? [NIGHTLY] : [];

/** @param {string} file its path */
export const isNightly = (file) => file.includes('.nightly.');
