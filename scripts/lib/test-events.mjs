import { appendFileSync, readFileSync } from 'node:fs';

/**
 * @typedef {{ files: number } | { file: string, planned: number } | { id: string, name: string, ms: number }} TestEvent
 *   the number of files, the number of tests in a file, and a finished test
 * @typedef {{ total: number, isComplete: boolean, tests: Map<string, { name: string, ms: number }> }} StepTests
 *   `isComplete`: every file has reported its number of tests; `tests`: finished tests, by id
 */

/** Environment variable that names the file to which a step's reporter writes its events. */
export const EVENTS_FILE = 'TEST_EVENTS_FILE';

/** @param {TestEvent} event */
export function recordEvent(event) {
  const file = process.env[EVENTS_FILE];
  if (file) appendFileSync(file, `${JSON.stringify(event)}\n`);
}

/** @param {string} file @returns {StepTests} */
export function readEvents(file) {
  let files = Infinity;
  /** @type {Map<string, number>} */
  const planned = new Map();
  /** @type {StepTests['tests']} */
  const tests = new Map();
  for (const event of parseLines(file)) {
    if ('files' in event) files = event.files;
    else if ('planned' in event) planned.set(event.file, event.planned);
    // The last retry of a test replaces earlier attempts.
    else tests.set(event.id, event);
  }
  const total = [...planned.values()].reduce((sum, each) => sum + each, 0);
  return { total: Math.max(total, tests.size), isComplete: planned.size >= files, tests };
}

/** @param {string} file @returns {TestEvent[]} */
function parseLines(file) {
  try {
    // The last piece is empty, or a line that is not completely written yet.
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line));
  } catch {
    return [];
  }
}
