import { rmSync } from 'node:fs';
import os from 'node:os';
import { installDependencies } from './install.mjs';
import { stopServicesOnExit } from './processes.mjs';
import { prepareBrowser, prepareRedis } from './test-tools.mjs';
import { runStep, runDir, steps } from './test-steps.mjs';

/** @typedef {import('./test-steps.mjs').Step} Step @typedef {import('./test-steps.mjs').Outcome} Outcome */

/**
 * Runs the checks and tests, and prints the sum as the last line.
 * @param {string[]} names of the steps to run; all when empty
 * @returns {Promise<boolean>} whether nothing failed
 */
export async function runTests(names) {
  const chosen = choose(names);
  installDependencies();
  stopServicesOnExit();
  rmSync(runDir, { recursive: true, force: true });

  const needs = new Set(chosen.flatMap((step) => step.needs ?? []));
  /** @type {Record<string, string>} */
  const tools = {};
  if (needs.has('browser')) Object.assign(tools, prepareBrowser());
  if (needs.has('redis')) prepareRedis();

  // Checks that only read the source share the processors; what starts servers runs alone.
  const light = chosen.filter((step) => step.light);
  const outcomes = await pool(light, os.availableParallelism(), (step) => perform(step, tools));
  for (const step of chosen.filter((each) => !each.light)) outcomes.push(await perform(step, tools));
  return report(outcomes);
}

/** @param {string[]} names @returns {Step[]} */
function choose(names) {
  const unknown = names.filter((name) => !steps.some((step) => step.name === name));
  if (unknown.length > 0)
    throw new Error(`No such step: ${unknown.join(', ')}. There are: ${steps.map(({ name }) => name).join(', ')}`);
  return names.length === 0 ? steps : steps.filter(({ name }) => names.includes(name));
}

/** @param {Step} step @param {Record<string, string>} tools @returns {Promise<Outcome>} */
async function perform(step, tools) {
  const outcome = await runStep(step, tools);
  console.log(`${outcome.failed === 0 ? 'ok    ' : 'FAILED'} ${step.name} (${outcome.seconds} s)`);
  for (const remark of outcome.remarks) console.log(`       ${remark}`);
  return outcome;
}

/** @param {Outcome[]} outcomes @returns {boolean} */
function report(outcomes) {
  for (const { name, failed, output } of outcomes) if (failed > 0) console.log(`\n──── ${name}\n${output}`);

  const columns = (/** @type {unknown[]} */ row) =>
    row.map((cell, i) => String(cell).padStart(i === 0 ? -12 : 9)).join('');
  console.log(`\n${'step'.padEnd(12)}${columns(['', 'passed', 'failed', 'skipped', 'seconds'])}`);
  for (const { name, passed, failed, skipped, seconds } of outcomes)
    console.log(`${name.padEnd(12)}${columns(['', passed, failed, skipped, seconds])}`);

  const sum = (/** @type {'passed' | 'failed' | 'skipped'} */ key) =>
    outcomes.reduce((total, each) => total + each[key], 0);
  const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : '';
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed${skipped}`);
  return sum('failed') === 0;
}

/**
 * @template T, R
 * @param {T[]} items @param {number} width how many at once @param {(item: T) => Promise<R>} work
 * @returns {Promise<R[]>} in the items' order
 */
async function pool(items, width, work) {
  /** @type {R[]} */
  const results = [];
  const queue = [...items.entries()];
  const lane = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: width }, lane));
  return results;
}
