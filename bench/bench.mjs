// Measures the figures in docs/performance.md, and checks them against the budgets: npm run bench -- [pages account peer
// handover passkey session listener openid lesson checks proof lighthouse]
import { account } from './account.mjs';
import { handOver } from './hand-over.mjs';
import { passkey } from './passkey.mjs';
import { benchOnImageNode, isImageNode } from './lib/image-node.mjs';
import { onStage } from './lib/stage.mjs';
import { lessonStart } from './lesson-start.mjs';
import { lighthouse } from './lighthouse.mjs';
import { openId } from './openid.mjs';
import { pageMix } from './page-mix.mjs';
import { pages } from './pages.mjs';
import { peer } from './peer.mjs';
import { proof } from './proof.mjs';
import { checkListener, sessionCheck } from './session-check.mjs';

/**
 * @typedef {{ what: string, value: number, unit: string, budget?: string, ok?: boolean }} Row
 * @typedef {(stage: { endpoints: import('../scripts/lib/stack.mjs').Endpoints,
 *   browser: import('@playwright/test').Browser }) => Promise<Row[]>} Bench
 */

/** @type {Record<string, Bench>} */
const benches = {
  pages,
  account,
  peer,
  handover: handOver,
  passkey,
  session: sessionCheck,
  listener: checkListener,
  openid: openId,
  lesson: lessonStart,
  checks: pageMix,
  proof,
  lighthouse,
};
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in benches));
if (unknown.length > 0) throw new Error(`No bench ${unknown.join(', ')}: there are ${Object.keys(benches).join(', ')}`);

const isWanted = (/** @type {string} */ name) => wanted.length === 0 || wanted.includes(name);

await onStage('bench', async (stage) => {
  for (const [name, bench] of Object.entries(benches)) {
    if (!isWanted(name)) continue;
    console.log(`\n${name}`);
    const rows = await bench(stage);
    rows.forEach(print);
    if (rows.some(({ ok }) => ok === false)) process.exitCode = 1;
  }
});
// The budget applies to the deployed Node version. Figures of another version are reported, but not checked.
if (isWanted('session') && !isImageNode && !benchOnImageNode('session')) process.exitCode = 1;
console.log(process.exitCode ? '\nOver budget.' : '\nWithin all budgets.');

/** @param {Row} row */
function print({ what, value, unit, budget = '', ok }) {
  const verdict = ok === undefined ? '' : ok ? 'ok' : 'OVER';
  console.log(`  ${what.padEnd(52)} ${`${value} ${unit}`.padStart(12)}  ${budget.padEnd(10)} ${verdict}`);
}
