import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { cacheDir, root, runDir } from './paths.mjs';
import { startService, stopServicesOnExit } from './processes.mjs';
import { countTests, createRun, formatFailures, formatProgress, formatSlowest, recordEvent } from './test-progress.mjs';
import { runInOrder } from './test-schedule.mjs';
import { prepareBrowser, prepareExamples, preparePostgres, prepareRedis } from './test-tools.mjs';
import { steps } from './test-steps.mjs';

/** @typedef {import('./test-steps.mjs').Step & import('./test-progress.mjs').StepRun} Run */

const QUICK = 'quick';
/** For a step that hangs: all browser tests take half of it where two cores are busy. */
const LIMIT_MS = 60 * 60_000;
const LONGEST_OUTPUT = 20_000;
const { stdout } = process;

/**
 * Runs the checks and tests, and prints the summary as the last line.
 * @param {string[]} names of the steps to run, or `quick`; all when empty
 * @returns {Promise<boolean>} whether all steps passed
 */
export async function runTests(names) {
  const runs = chooseSteps(names).map(createRun);
  stopServicesOnExit();
  mkdirSync(cacheDir, { recursive: true });
  for (const name of readdirSync(runDir))
    if (name !== path.basename(cacheDir)) rmSync(path.join(runDir, name), { recursive: true, force: true });
  const needs = new Set(runs.flatMap((run) => run.needs ?? []));
  const tools = needs.has('browser') ? prepareBrowser() : {};
  if (needs.has('redis')) prepareRedis();
  if (needs.has('examples')) prepareExamples();
  if (needs.has('postgres')) preparePostgres();

  const begin = Date.now();
  const printProgress = () => {
    const line = formatProgress(runs, (Date.now() - begin) / 1000);
    stdout.write(stdout.isTTY ? `\r\u001b[K${line.slice(0, stdout.columns - 1)}` : `${line}\n`);
  };
  const timer = setInterval(printProgress, stdout.isTTY ? 1_000 : 30_000);
  // One more than CPU cores: the tests of servers mostly wait.
  const outcomes = await runInOrder(runs, os.availableParallelism() + 1, (run) => runStep(run, tools));
  clearInterval(timer);

  for (const { name, failed, output } of outcomes) if (failed > 0) console.log(`\n──── ${name}\n${output}`);
  const slowest = formatSlowest(runs);
  if (slowest.length > 0) console.log(['\nslowest tests', ...slowest].join('\n'));
  console.table(Object.fromEntries(outcomes.map(({ name, output, ...counts }) => [name, counts])));
  const [passed, failed, skipped] = /** @type {const} */ (['passed', 'failed', 'skipped']).map((key) =>
    outcomes.reduce((sum, outcome) => sum + outcome[key], 0),
  );
  console.log(`\n${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
  return failed === 0;
}

/** @param {string[]} names @returns {import("./test-steps.mjs").Step[]} */
export function chooseSteps(names) {
  if (names.length === 1 && names[0] === QUICK)
    return steps.flatMap(({ quick, ...step }) => (quick ? { ...step, command: [...step.command, ...quick()] } : []));
  const known = steps.flatMap(({ name, partOf }) => (partOf ? [] : [name]));
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`No such step: ${unknown.join(', ')}. There are: ${known.join(', ')}, and ${QUICK} by itself`);
  return steps
    .filter(({ name, partOf = name }) => names.length === 0 || names.includes(partOf))
    .map(({ whole = [], ...step }) => ({ ...step, command: [...step.command, ...whole] }));
}

/** @param {Run} run @param {Record<string, string>} tools environment variables with the paths of installed tools */
async function runStep(run, tools) {
  const begin = Date.now();
  run.state = 'running';
  const env = { FORCE_COLOR: '0', CI: 'true', ...tools };
  const onMessage = (/** @type {any} */ event) => recordEvent(run, event);
  const service = startService(run.name, run.command, { cwd: root, env, logDir: runDir, onMessage });
  const limit = setTimeout(() => void service.stop(), LIMIT_MS);
  const code = await service.exited;
  clearTimeout(limit);
  await service.stop();
  run.state = 'done';

  const { total } = countTests(run);
  const failures = formatFailures(run);
  let [passed, failed] = run.hasTests ? [run.results.size - failures.length, failures.length] : [Number(code === 0), 0];
  // A run that was aborted or found no tests is not a success.
  if (failed === 0 && (code !== 0 || (total === 0 && !run.command.includes('--passWithNoTests')))) failed = 1;
  const seconds = Math.round((Date.now() - begin) / 1000);
  if (stdout.isTTY) stdout.write('\r\u001b[K');
  console.log(`${failed === 0 ? 'ok    ' : 'FAILED'} ${run.name} (${seconds} s)`);
  // Not only in the step's output: a truncated log must still show which tests failed.
  for (const failure of failures) console.log(`       failed: ${failure}`);
  const output = stripVTControlCharacters(readFileSync(service.logFile, 'utf8')).trim().slice(-LONGEST_OUTPUT);
  return { name: run.name, passed, failed, skipped: Math.max(0, total - passed - failed), seconds, output };
}
