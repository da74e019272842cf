import { formatSlowest } from './test-progress.mjs';

/** @typedef {import('./test-steps.mjs').Outcome} Outcome */

/**
 * Prints the output of failed steps, the slowest tests, a table of the steps and, as the last line, the summary.
 * @param {Outcome[]} outcomes
 * @param {{ step: string, name: string, ms: number }[]} tests
 * @returns {boolean} whether all steps passed
 */
export function report(outcomes, tests) {
  for (const { name, failed, output } of outcomes) if (failed > 0) console.log(`\n──── ${name}\n${output}`);
  if (tests.length > 0) console.log(['\nslowest tests', ...formatSlowest(tests)].join('\n'));

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
