import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { getEndedCpuMs } from './cpu-time.mjs';
import { cacheDir, root, runDir } from './paths.mjs';
import { startService, stopServicesOnExit } from './processes.mjs';
import {
  countTests,
  createRun,
  formatFailures,
  formatProgress,
  formatSlowest,
  formatSummary,
  recordEvent,
} from './test-progress.mjs';
import { runInOrder } from './test-schedule.mjs';
import { prepareBrowser, prepareTools } from './test-tools.mjs';
import { steps } from './test-steps.mjs';

/** @typedef {import('./test-steps.mjs').Step & import('./test-progress.mjs').StepRun} Run */

/** For a step that hangs. */
const LIMIT_MS = 60 * 60_000;
const LONGEST_OUTPUT = 20_000;
/** What a whole run may take on two cores, in minutes: reported when exceeded, since machines differ. */
const BUDGETS = { quick: { wall: 1.5, cpu: Infinity }, first: { wall: 10, cpu: 16 }, all: { wall: 35, cpu: Infinity } };
const { stdout } = process;
/** Of the steps that have ended. */
let countedCpuSeconds = 0;

/**
 * Runs the checks and tests, and prints the summary as the last line.
 * @param {string[]} names of the steps to run, of the first tier; or `quick`, or `all` before the names of steps, if any;
 *   every step when empty
 * @returns {Promise<boolean>} whether all steps passed
 */
export async function runTests(names) {
  const { tier, steps: chosen } = chooseSteps(names);
  const runs = chosen.map(createRun);
  stopServicesOnExit();
  mkdirSync(cacheDir, { recursive: true });
  for (const name of readdirSync(runDir))
    if (name !== path.basename(cacheDir)) rmSync(path.join(runDir, name), { recursive: true, force: true });
  /** @type {Set<string>} */
  const needs = new Set(runs.flatMap((run) => run.needs ?? []));
  const tools = needs.has('browser') ? prepareBrowser() : {};
  if (needs.has('examples') && tier !== 'first') needs.add('social-core');
  if (needs.has('browser') && tier !== 'first') for (const tool of ['nginx', 'apache', 'authlib']) needs.add(tool);
  prepareTools(needs);

  // Without the installation.
  countedCpuSeconds = getEndedCpuMs() / 1000;
  const begin = Date.now();
  const getElapsed = () => (Date.now() - begin) / 1000;
  const printProgress = () => {
    const line = formatProgress(runs, getElapsed());
    stdout.write(stdout.isTTY ? `\r\u001b[K${line.slice(0, stdout.columns - 1)}` : `${line}\n`);
  };
  const timer = setInterval(printProgress, stdout.isTTY ? 1_000 : 30_000);
  const env = { FORCE_COLOR: '0', CI: 'true', TEST_TIER: tier, ...tools };
  const outcomes = await runInOrder(runs, (run) => {
    run.startedAfter = getElapsed();
    return runStep(run, env);
  });
  clearInterval(timer);

  // Last what a reader looks for first: logs can be cut at their beginning.
  for (const { name, failed, output } of outcomes) if (failed > 0) console.log(`\n──── ${name}\n${output}`);
  console.log(['', ...formatTimes(outcomes), '', ...checkBudget(tier, names, getElapsed(), outcomes)].join('\n'));
  const failures = outcomes.flatMap(({ name, failures: each }) => each.map((failure) => `${name}: ${failure}`));
  if (failures.length > 0) console.log(['\nfailed', ...failures].join('\n'));
  const slowest = formatSlowest(runs);
  if (slowest.length > 0) console.log(['\nmost CPU time', ...slowest].join('\n'));
  console.log(`\n${formatSummary(outcomes)}`);
  return outcomes.every(({ failed }) => failed === 0);
}

/**
 * @param {string[]} names
 * @returns {{ tier: 'quick' | 'first' | 'all', steps: import("./test-steps.mjs").Step[] }}
 */
export function chooseSteps(names) {
  const [first, ...rest] = names;
  if (first === 'quick' && rest.length === 0)
    return {
      tier: 'quick',
      steps: steps.flatMap(({ quick, ...step }) => (quick ? { ...step, command: [...step.command, ...quick()] } : [])),
    };
  const tier = first === 'all' ? 'all' : 'first';
  const wanted = tier === 'all' ? rest : names;
  const known = steps.map(({ name }) => name);
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(
      `No such step: ${unknown.join(', ')}. There are: ${known.join(', ')}; quick by itself; all by itself or before steps`,
    );
  return { tier, steps: steps.filter(({ name }) => wanted.length === 0 || wanted.includes(name)) };
}

/**
 * @param {string} tier @param {string[]} names @param {number} seconds @param {{ cpuSeconds: number }[]} outcomes
 * @returns {string[]} the sums, with the budget where it was a whole run
 */
function checkBudget(tier, names, seconds, outcomes) {
  const wall = seconds / 60;
  const cpu = outcomes.reduce((sum, outcome) => sum + outcome.cpuSeconds, 0) / 60;
  const line = `whole run: ${wall.toFixed(1)} min, ${cpu.toFixed(1)} min of CPU`;
  const isWhole = names.length === (tier === 'first' ? 0 : 1);
  const budget = BUDGETS[/** @type {keyof typeof BUDGETS} */ (tier)];
  if (!isWhole) return [line];
  const limits = `${budget.wall} min${Number.isFinite(budget.cpu) ? `, ${budget.cpu} min of CPU` : ''} on two cores`;
  const verdict = wall > budget.wall || cpu > budget.cpu ? 'EXCEEDED' : 'kept';
  return [`${line}; the budget of ${limits} is ${verdict}`];
}

/**
 * What each step took, as a table.
 * @param {{ name: string, passed: number, failed: number, skipped: number, seconds: number, cpuSeconds: number }[]} outcomes
 * @returns {string[]}
 */
function formatTimes(outcomes) {
  const rows = outcomes.map(({ name, passed, failed, skipped, seconds, cpuSeconds }) =>
    [name, passed, failed, skipped, `${seconds} s`, `${Math.round(cpuSeconds)} s`].map(String),
  );
  const head = ['step', 'passed', 'failed', 'skipped', 'wall', 'CPU'];
  const widths = head.map((title, i) => Math.max(...[head, ...rows].map((row) => (row[i] ?? title).length)));
  const format = (/** @type {string[]} */ row) =>
    `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  return [format(head), format(widths.map((width) => '-'.repeat(width))), ...rows.map(format)];
}

/** @param {Run} run @param {Record<string, string>} env */
async function runStep(run, env) {
  const begin = Date.now();
  run.state = 'running';
  const onMessage = (/** @type {any} */ event) => recordEvent(run, event);
  const service = startService(run.name, run.command, { cwd: root, env, logDir: runDir, onMessage });
  const limit = setTimeout(() => void service.stop(), LIMIT_MS);
  const code = await service.exited;
  // Rises by what a step took when it has ended: steps that end at the same moment share the figure.
  const cpuSeconds = getEndedCpuMs() / 1000 - countedCpuSeconds;
  countedCpuSeconds += cpuSeconds;
  clearTimeout(limit);
  await service.stop();
  run.state = 'done';

  const { total } = countTests(run);
  const failures = formatFailures(run);
  const passed = run.hasTests ? run.results.size - failures.length : Number(code === 0);
  let failed = failures.length;
  // A run that was aborted or found no tests is not a success.
  if (failed === 0 && (code !== 0 || (total === 0 && !run.command.includes('--passWithNoTests')))) failed = 1;
  const seconds = Math.round((Date.now() - begin) / 1000);
  if (stdout.isTTY) stdout.write('\r\u001b[K');
  console.log(`${failed === 0 ? 'ok    ' : 'FAILED'} ${run.name} (${seconds} s)`);
  for (const failure of failures) console.log(`       failed: ${failure.split('\n')[0]}`);
  const output = stripVTControlCharacters(readFileSync(service.logFile, 'utf8')).trim().slice(-LONGEST_OUTPUT);
  const skipped = Math.max(0, total - passed - failed);
  if (failed > 0 && failures.length === 0) failures.push(`see ${path.relative(root, service.logFile)}`);
  return { name: run.name, passed, failed, skipped, seconds, cpuSeconds, failures, output };
}
