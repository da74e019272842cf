// Measures how long a browser takes for the hardest proof of work (docs/adr/0040): npm run bench -- proof
import { createChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { build } from 'esbuild';
import { BUDGETS } from './budgets.mjs';
import { atMost } from './lib/limits.mjs';
import { median } from './lib/median.mjs';
import { root } from '../scripts/lib/paths.mjs';
import { loadSource } from '../scripts/lib/source-loader.mjs';

const ROUNDS = 9;
/**
 * Chromium's throttling only slows the page, and keys are derived outside it, so the whole time counts four times.
 * Phones have more processors than this machine leaves to its browser.
 */
const SLOWDOWN = 4;

/** @type {import('./bench.mjs').Bench} */
export async function proof({ endpoints, browser }) {
  const { envSchema } = loadSource('/lib/server/runtime/config/schema.ts');
  const most = envSchema.shape.PROOF_OF_WORK.parse(undefined);
  const page = await browser.newPage();
  await page.addInitScript({ content: await bundleSolver() });
  await page.goto(`${endpoints.appOrigin}/api/health/live`);
  /** @type {number[]} */
  const times = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const challenge = await createChallenge({
      ...{ algorithm: 'PBKDF2/SHA-256', cost: 1_000, counter: most - 1, deriveKey },
      ...{ hmacSignatureSecret: 'of the bench', hmacKeySignatureSecret: 'of the bench, too' },
    });
    times.push(
      await page.evaluate(async (given) => {
        const begin = performance.now();
        await /** @type {any} */ (globalThis).solver.solve(given);
        return performance.now() - begin;
      }, challenge),
    );
  }
  await page.close();
  // The first round also loads the code.
  const slowed = Math.round(median(times.slice(1)) * SLOWDOWN);
  return [
    { what: 'hardest proof of work', value: Math.round(slowed / SLOWDOWN), unit: 'ms' },
    atMost('the same four times slower', slowed, 'ms', BUDGETS.proof),
  ];
}

async function bundleSolver() {
  const { outputFiles } = await build({
    entryPoints: [`${root}/lib/browser/proof-of-work.ts`],
    ...{ bundle: true, minify: true, write: false, format: 'iife', globalName: 'solver' },
    // The script of a page runs in a function.
    footer: { js: 'globalThis.solver = solver;' },
  });
  return outputFiles[0]?.text ?? '';
}
