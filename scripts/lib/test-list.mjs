import { readFileSync } from 'node:fs';
import { installed, root } from './paths.mjs';
import { startService, tailOf } from './processes.mjs';
import { runDir, resultFile } from './test-steps.mjs';

/**
 * Counts the tests of steps that have no history here, without running them. The run does not wait for it.
 * @param {string[]} names
 * @param {(name: string, count: number) => void} onCount
 */
export function listTests(names, onCount) {
  const projects = names.filter((name) => name !== 'e2e');
  if (projects.length > 0) void countVitest(projects, onCount);
  if (names.includes('e2e')) void countPlaywright(onCount);
}

/** @param {string[]} projects @param {(name: string, count: number) => void} onCount */
async function countVitest(projects, onCount) {
  const file = resultFile('list');
  const chosen = projects.flatMap((name) => ['--project', name]);
  // Static parsing takes seconds; collecting takes as long as a run of the unit tests. It counts a test table as one
  // test.
  await list('list-vitest', 'vitest/vitest.mjs', 'list', '--static-parse', `--json=${file}`, ...chosen);
  try {
    /** @type {{ projectName: string }[]} */
    const tests = JSON.parse(readFileSync(file, 'utf8'));
    for (const name of projects) onCount(name, tests.filter(({ projectName }) => projectName === name).length);
  } catch {
    // The step itself reports the error.
  }
}

/** @param {(name: string, count: number) => void} onCount */
async function countPlaywright(onCount) {
  const logFile = await list('list-playwright', '@playwright/test/cli.js', 'test', '--list');
  const [, count] = /^Total: (\d+) tests?/m.exec(tailOf(logFile)) ?? [];
  if (count) onCount('e2e', Number(count));
}

/**
 * @param {string} name @param {string} program @param {...string} args @returns {Promise<string>} file with its
 *   output
 */
async function list(name, program, ...args) {
  const command = [process.execPath, installed(program), ...args];
  const service = startService(name, command, { cwd: root, env: { ...process.env, FORCE_COLOR: '0' }, logDir: runDir });
  await service.logged;
  return service.logFile;
}
