import { readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { installDependencies } from './install.mjs';
import { stopServicesOnExit } from './processes.mjs';
import { readEvents } from './test-events.mjs';
import { readHistory, saveHistory } from './test-history.mjs';
import { listTests } from './test-list.mjs';
import { showProgress } from './test-progress.mjs';
import { getQuickSteps } from './test-quick.mjs';
import { report } from './test-report.mjs';
import { prepareBrowser, prepareRedis } from './test-tools.mjs';
import { cacheDir, cacheFile, eventsFile, runDir, runStep, steps } from './test-steps.mjs';

/**
 * @typedef {import('./test-steps.mjs').Step} Step @typedef {import('./test-steps.mjs').Outcome} Outcome
 * @typedef {ReturnType<typeof showProgress>} Progress
 */

const QUICK = 'quick';

/**
 * Runs the checks and tests, and prints the summary as the last line.
 * @param {string[]} names of the steps to run, or `quick`; all when empty
 * @returns {Promise<boolean>} whether all steps passed
 */
export async function runTests(names) {
  const chosen = choose(names);
  installDependencies();
  stopServicesOnExit();
  clearRunDir();

  const needs = new Set(chosen.flatMap((step) => step.needs ?? []));
  /** @type {Record<string, string>} */
  const tools = {};
  if (needs.has('browser')) Object.assign(tools, prepareBrowser());
  if (needs.has('redis')) prepareRedis();

  const file = cacheFile(names[0] === QUICK ? 'durations-quick.json' : 'durations.json');
  const history = readHistory(file);
  const width = os.availableParallelism();
  const progress = showProgress(
    chosen.map((step) => ({
      name: step.name,
      light: Boolean(step.light),
      hasTests: Boolean(step.count),
      eventsFile: eventsFile(step.name),
      // The files changed in the last run do not predict those changed in this one.
      last: step.mayBeEmpty ? undefined : history[step.name],
    })),
    width,
  );
  const unknown = chosen.filter(({ name, count, mayBeEmpty }) => count && !mayBeEmpty && !history[name]);
  listTests(
    unknown.map(({ name }) => name),
    progress.list,
  );

  // Steps that start no server run in parallel; the others run one at a time.
  const light = chosen.filter((step) => step.light);
  const outcomes = await pool(light, width, (step) => perform(step, tools, progress));
  for (const step of chosen.filter((each) => !each.light)) outcomes.push(await perform(step, tools, progress));
  progress.stop();
  saveHistory(file, getDurations(outcomes));
  return report(
    outcomes,
    outcomes.flatMap(({ name: step }) => getTests(step).map((test) => ({ step, ...test }))),
  );
}

/** Preserves the caches and the durations of earlier runs. */
function clearRunDir() {
  try {
    for (const name of readdirSync(runDir))
      if (name !== path.basename(cacheDir)) rmSync(path.join(runDir, name), { recursive: true, force: true });
  } catch {
    // No earlier run.
  }
}

/** @param {string[]} names @returns {Step[]} */
function choose(names) {
  if (names.length === 1 && names[0] === QUICK) return getQuickSteps();
  const unknown = names.filter((name) => !steps.some((step) => step.name === name));
  if (unknown.length > 0)
    throw new Error(
      `No such step: ${unknown.join(', ')}. There are: ${steps.map(({ name }) => name).join(', ')}, and ${QUICK} by itself`,
    );
  return names.length === 0 ? steps : steps.filter(({ name }) => names.includes(name));
}

/** @param {Step} step @param {Record<string, string>} tools @param {Progress} progress @returns {Promise<Outcome>} */
async function perform(step, tools, progress) {
  progress.begin(step.name);
  const outcome = await runStep(step, tools);
  progress.end(step.name);
  console.log(`${outcome.failed === 0 ? 'ok    ' : 'FAILED'} ${step.name} (${outcome.seconds} s)`);
  for (const remark of outcome.remarks) console.log(`       ${remark}`);
  return outcome;
}

/** @param {string} step */
function getTests(step) {
  return [...readEvents(eventsFile(step)).tests.values()].map(({ name, ms }) => ({ name, ms }));
}

/** A failed step may have been aborted, or waited for timeouts. @param {Outcome[]} outcomes */
function getDurations(outcomes) {
  const passed = outcomes.filter(({ failed }) => failed === 0);
  return Object.fromEntries(
    passed.map(({ name, seconds }) => {
      const tests = Object.fromEntries(getTests(name).map((test) => [test.name, test.ms]));
      return [name, { seconds, tests }];
    }),
  );
}

/**
 * @template T, R
 * @param {T[]} items @param {number} width how many in parallel @param {(item: T) => Promise<R>} work
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
