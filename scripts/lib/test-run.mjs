import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { getEndedCpuMs } from './cpu-time.mjs';
import { cacheDir, root, runDir } from './paths.mjs';
import { findPreviousRelease } from './previous-release.mjs';
import { startService, stopServicesOnExit } from './processes.mjs';
import {
  formatFailures,
  formatProgress,
  formatSlowest,
  formatSummary,
  formatTimes,
  listResults,
  listUnfinished,
  recordEvent,
} from './test-report.mjs';
import { planSteps } from './test-steps.mjs';
import { prepareBrowser, prepareTools } from './test-tools.mjs';

/** @typedef {import('./test-steps.mjs').PlannedStep} PlannedStep @typedef {import('./test-report.mjs').Outcome} Outcome */

/** Time limit of a step, in case it hangs. */
const LIMIT_MS = 60 * 60_000;
/** Time for all steps of the second tier together. Files that are unfinished by then are left out. */
const SECOND_TIER_MS = 35 * 60_000;
const PROGRESS_MS = 30_000;
const LONGEST_OUTPUT = 20_000;
/** Limit for the CPU time of a whole first tier, as a multiple of the build's CPU time, because machines differ. */
const MAX_RATIO = 5;
/** A faster build used caches, so it is no measure of the machine. */
const MIN_BUILD_SECONDS = 15;

/**
 * Runs the checks and tests, and prints the summary as the last line.
 * @param {string[]} names names for `planSteps`
 * @returns {Promise<boolean>} whether all steps passed
 */
export async function runTests(names) {
  const plan = planSteps(names);
  stopServicesOnExit();
  mkdirSync(cacheDir, { recursive: true });
  for (const name of readdirSync(runDir))
    if (name !== path.basename(cacheDir)) rmSync(path.join(runDir, name), { recursive: true, force: true });
  /** @type {Set<string>} */
  const needs = new Set(plan.steps.flatMap((step) => step.needs ?? []));
  const tools = needs.has('browser') ? prepareBrowser() : {};
  if (plan.steps.some(({ tier }) => tier === 'all' || tier === 'second')) {
    if (needs.has('examples')) for (const tool of ['social-core', 'prometheus']) needs.add(tool);
    if (needs.has('browser')) for (const tool of ['nginx', 'apache', 'authlib']) needs.add(tool);
    if (needs.has('nginx')) needs.add('caddy');
    const previous = needs.has('browser') ? findPreviousRelease() : undefined;
    if (typeof previous === 'string') console.log(`${previous} The tests of an upgrade are skipped.`);
  }
  prepareTools(needs);

  // The installation is not counted.
  countedCpuSeconds = getEndedCpuMs() / 1000;
  const begin = performance.now();
  const outcomes = await runSteps(plan, tools);

  // Failures are printed last, because logs can be cut at their beginning.
  for (const { name, failed, output } of outcomes) if (failed > 0) console.log(`\n──── ${name}\n${output}`);
  const minutes = (performance.now() - begin) / 60_000;
  console.log(['', ...formatTimes(outcomes), '', describeWhole(outcomes, minutes, plan.isWhole)].join('\n'));
  const slowest = formatSlowest(outcomes);
  if (slowest.length > 0) console.log(['\nmost CPU time', ...slowest].join('\n'));
  console.log(`\n${formatSummary(outcomes)}`);
  return outcomes.every(({ failed }) => failed === 0);
}

/**
 * Runs the steps in order, in parallel while there are free cores. More steps at a time would only slow each other
 * down.
 * @param {import('./test-steps.mjs').Plan} plan @param {Record<string, string>} tools
 * @returns {Promise<Outcome[]>}
 */
async function runSteps({ steps, stopsAtFailure = false }, tools) {
  /** @type {Outcome[]} */
  const outcomes = [];
  /** @type {Map<PlannedStep, Promise<void>>} */
  const running = new Map();
  /** End of the second tier. @type {number | undefined} */
  let end;
  for (const [i, step] of steps.entries()) {
    const busy = () => [...running.keys()].reduce((sum, { cores }) => sum + cores, 0);
    while (running.size > 0 && busy() + step.cores > os.availableParallelism()) await Promise.race(running.values());
    if (stopsAtFailure && outcomes.some(({ failed }) => failed > 0)) break;
    let limitMs = LIMIT_MS;
    if (step.tier === 'second') {
      end ??= performance.now() + SECOND_TIER_MS;
      // Divides the remaining time equally, so that a step inherits the time that earlier steps did not need.
      limitMs = (end - performance.now()) / (steps.length - i);
    }
    const work = runStep(step, tools, limitMs).then((outcome) => {
      outcomes.push(outcome);
      running.delete(step);
    });
    running.set(step, work);
  }
  await Promise.all(running.values());
  return outcomes;
}

/** CPU time that was attributed to ended steps. */
let countedCpuSeconds = 0;

/** @param {PlannedStep} step @param {Record<string, string>} tools @param {number} limitMs @returns {Promise<Outcome>} */
async function runStep({ name: stepName, tier, command, hasTests }, tools, limitMs) {
  const name = tier === 'second' ? `${stepName}.2` : stepName;
  const begin = performance.now();
  /** @type {Outcome['files']} */
  const files = new Map();
  let isOver = false;
  // Reports that arrive while a step is being stopped are not results of its tests.
  const onMessage = (/** @type {any} */ event) => void (isOver || recordEvent(files, event));
  const env = { FORCE_COLOR: '0', CI: 'true', TEST_TIER: tier, ...tools };
  const service = startService(name, command, { cwd: root, env, logDir: runDir, onMessage });
  const progress = setInterval(() => console.log(`       ${formatProgress(name, files)}`), PROGRESS_MS);
  const limit = setTimeout(() => {
    isOver = true;
    void service.stop();
  }, limitMs);
  const code = await service.exited;
  clearInterval(progress);
  clearTimeout(limit);
  await service.stop();
  const seconds = Math.round((performance.now() - begin) / 1000);
  // The total rises when a step ends. Steps that end at the same moment share the difference.
  const cpuSeconds = getEndedCpuMs() / 1000 - countedCpuSeconds;
  countedCpuSeconds += cpuSeconds;

  const failures = formatFailures(listResults(files, 'failed'));
  const leftOut = isOver && tier === 'second' ? listUnfinished(files) : [];
  const [passed, skipped] = [listResults(files, 'passed').length, listResults(files, 'skipped').length];
  // A run that was aborted, took too long or found no tests is not successful.
  const isEmpty = hasTests && passed + skipped === 0 && !command.includes('--passWithNoTests');
  if (failures.length === 0 && (isOver ? tier !== 'second' : code !== 0 || isEmpty))
    failures.push(`see ${path.relative(root, service.logFile)}`);
  const failed = failures.length;
  console.log(
    `${failed === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)${leftOut.length > 0 ? ', its time was over' : ''}`,
  );
  for (const failure of failures) console.log(`       failed: ${failure.split('\n').slice(0, 2).join(' ')}`);
  const output = stripVTControlCharacters(readFileSync(service.logFile, 'utf8')).trim().slice(-LONGEST_OUTPUT);
  const sum = { passed: hasTests ? passed : 1 - failed, failed, skipped };
  return { name, ...sum, seconds, cpuSeconds, failures, leftOut, files, output };
}

/**
 * @param {Outcome[]} outcomes @param {number} minutes @param {boolean} isWhole whether it was a whole first tier, which
 * has a budget
 */
function describeWhole(outcomes, minutes, isWhole = false) {
  const cpuSeconds = outcomes.reduce((sum, outcome) => sum + outcome.cpuSeconds, 0);
  const line = `whole run: ${minutes.toFixed(1)} min, ${(cpuSeconds / 60).toFixed(1)} min of CPU`;
  const build = outcomes.find(({ name }) => name === 'build')?.cpuSeconds ?? 0;
  if (!isWhole || build < MIN_BUILD_SECONDS) return line;
  const ratio = cpuSeconds / build;
  return `${line}, ${ratio.toFixed(1)} times that of the build; the budget of ${MAX_RATIO} is ${ratio > MAX_RATIO ? 'EXCEEDED' : 'kept'}`;
}
