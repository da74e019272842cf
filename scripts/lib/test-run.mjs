import { readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { stopServicesOnExit } from './processes.mjs';
import { readEvents } from './test-events.mjs';
import { showProgress } from './test-progress.mjs';
import { getQuickSteps } from './test-quick.mjs';
import { report } from './test-report.mjs';
import { runInOrder } from './test-schedule.mjs';
import { prepareBrowser, prepareRedis } from './test-tools.mjs';
import { cacheDir, eventsFile, runDir, runStep, steps } from './test-steps.mjs';

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
  stopServicesOnExit();
  clearRunDir();

  const needs = new Set(chosen.flatMap((step) => step.needs ?? []));
  /** @type {Record<string, string>} */
  const tools = {};
  if (needs.has('browser')) Object.assign(tools, prepareBrowser());
  if (needs.has('redis')) prepareRedis();

  const progress = showProgress(
    chosen.map(({ name, seconds, count }) => ({
      ...{ name, seconds, hasTests: Boolean(count), eventsFile: eventsFile(name) },
    })),
  );
  // One more than CPU cores: the tests of servers mostly wait.
  const width = os.availableParallelism() + 1;
  const outcomes = await runInOrder(chosen, width, (step) => perform(step, tools, progress));
  progress.stop();
  return report(
    outcomes,
    outcomes.flatMap(({ name: step }) => getTests(step).map((test) => ({ step, ...test }))),
  );
}

/** Keeps the caches of earlier runs. */
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
  for (const failure of outcome.failures) console.log(`       failed: ${failure}`);
  return outcome;
}

/** @param {string} step */
function getTests(step) {
  return [...readEvents(eventsFile(step)).tests.values()].map(({ name, ms }) => ({ name, ms }));
}
