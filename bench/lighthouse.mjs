// Runs Lighthouse for mobile with simulated throttling, and takes the median of three runs: npm run bench -- lighthouse
import { spawnSync } from 'node:child_process';
import { findBrowser } from '../scripts/lib/test-tools.mjs';
import { BUDGETS } from './budgets.mjs';
import { atLeast } from './lib/limits.mjs';
import { PUBLIC_SCREENS } from './lib/screens.mjs';
import { median } from './lib/median.mjs';

/** It is downloaded on demand, because only this bench needs it, and it is larger than most of the product. */
const LIGHTHOUSE = 'lighthouse@12.8.2';
const RUNS = 3;
/** Lighthouse occasionally misses the start of a page load, reports it, and requires another run. */
const TRIES = 3;
const CATEGORIES = Object.keys(BUDGETS.lighthouse);

/** @type {import('./bench.mjs').Bench} */
export async function lighthouse({ endpoints }) {
  // Lighthouse rejects a 404 response.
  const screens = PUBLIC_SCREENS.filter((screen) => screen !== '/no-such-page');
  return screens.flatMap((screen) => {
    const runs = Array.from({ length: RUNS }, () => judge(endpoints.appOrigin + screen));
    return Object.entries(BUDGETS.lighthouse).map(([category, least]) => {
      const value = median(runs.map((run) => Math.round((run.categories[category]?.score ?? 0) * 100)));
      return atLeast(`${screen}: ${category}`, value, '', least);
    });
  });
}

/** @param {string} url @returns {{ categories: Record<string, { score: number }> }} */
function judge(url, left = TRIES) {
  const flags = ['--headless=new', '--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  const args = ['--yes', LIGHTHOUSE, url, '--quiet', '--output=json', `--only-categories=${CATEGORIES.join(',')}`];
  const { status, stdout, stderr } = spawnSync('npx', [...args, `--chrome-flags=${flags.join(' ')}`], {
    env: { ...process.env, CHROME_PATH: findBrowser() },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return JSON.parse(stdout);
  if (left > 1) return judge(url, left - 1);
  throw new Error(`Lighthouse did not judge ${url}.\n${stderr.slice(-2_000)}`);
}
