import { expect, test } from 'vitest';
import {
  countTests,
  createRun,
  formatFailures,
  formatProgress,
  formatSlowest,
  formatSummary,
  recordEvent,
} from './test-progress.mjs';
import type { StepRun } from './test-progress.mjs';

/** A step with tests, of which some have run, in one of its files. */
function createStep(more: Partial<StepRun>, done = 0, planned = 0): StepRun {
  const run: StepRun = { ...createRun({ name: 'unit', seconds: 100, hasTests: true }), ...more };
  if (planned > 0) [{ files: 1 }, { file: 'a', planned }].forEach((event) => recordEvent(run, event));
  for (let i = 0; i < done; i += 1) recordEvent(run, { id: `${i}`, name: `test ${i}`, ms: i * 100, isPassed: true });
  return run;
}

test('the total is a lower bound until every file has reported its number of tests', () => {
  const run = createStep({ state: 'running' }, 3);
  recordEvent(run, { files: 2 });
  recordEvent(run, { file: 'a', planned: 5 });
  expect(countTests(run)).toEqual({ done: 3, total: 5, isComplete: false });
  recordEvent(run, { file: 'b', planned: 1 });
  expect(countTests(run)).toEqual({ done: 3, total: 6, isComplete: true });
});

test('a check without tests counts as one test', () => {
  expect(countTests(createStep({ hasTests: false }))).toEqual({ done: 0, total: 1, isComplete: true });
  expect(countTests(createStep({ hasTests: false, state: 'done' })).done).toBe(1);
});

test('the time left follows the pace of this run, weighted by the usual duration of each step', () => {
  const half = createStep({ state: 'running', name: 'e2e', startedAfter: 250 }, 5, 10);
  expect(formatProgress([half, createStep({ state: 'done' })], 300)).toBe('5/10 tests, about 2 min left, running: e2e');
  const early = { ...half, startedAfter: 0 };
  expect(formatProgress([early, createStep({ seconds: 300 })], 50)).toBe('5/10+ tests, about 6 min left, running: e2e');
  expect(formatProgress([early], 20)).toBe('5/10 tests, about 20 s left, running: e2e');
});

test('the time left is unknown while almost nothing is done', () => {
  expect(formatProgress([createStep({ state: 'running' }, 1, 100)], 10)).toBe('1/100 tests, running: unit');
});

test('a step that runs alone at the end counts at its own pace', () => {
  const alone = createStep({ state: 'running', startedAfter: 100 }, 5, 10);
  expect(formatProgress([createStep({ state: 'done', seconds: 900 }), alone], 700)).toContain('about 10 min left');
});

test('files that have not begun count as much as the others', () => {
  const half = createStep({ state: 'running' }, 10, 10);
  recordEvent(half, { files: 2 });
  expect(formatProgress([half], 300)).toBe('10/10+ tests, about 5 min left, running: unit');
});

test('beside other steps the pace of one says nothing: it is faster when they have ended', () => {
  const slow = createStep({ state: 'running' }, 1, 10);
  const other = createStep({ state: 'running', name: 'e2e' }, 9, 10);
  expect(formatProgress([slow, other], 300)).toBe('10/20 tests, about 5 min left, running: unit, e2e');
});

test('the ten files with the most CPU time are named with their step', () => {
  const run = createStep({});
  for (let i = 0; i < 12; i += 1) recordEvent(run, { file: `${i}.test.ts`, cpuMs: i * 50 });
  recordEvent(run, { file: '11.test.ts', cpuMs: 550 });
  const lines = formatSlowest([run]);
  expect(lines).toHaveLength(10);
  expect(lines[0]).toBe('    1.1 s  unit        11.test.ts');
});

test.each([
  [0, '3 passed, 1 failed'],
  [2, '4 skipped\n3 passed, 1 failed'],
])('the last line has what passed and failed alone, with %i skipped in each step', (skipped, summary) => {
  const outcomes = [
    { passed: 2, failed: 0, skipped },
    { passed: 1, failed: 1, skipped },
  ];
  expect(formatSummary(outcomes)).toBe(summary);
});

test('each failed test is named with the first lines of its error, and its screenshots', () => {
  const run = createStep({}, 1);
  const error = '\u001b[31mexpected 1\u001b[39m\n at y';
  const failed = { id: 'x', name: 'lib/a.test.ts › x', ms: 1, isPassed: false, error, files: ['test-results/x.png'] };
  recordEvent(run, failed);
  expect(formatFailures(run)).toEqual(['lib/a.test.ts › x:\n  expected 1\n   at y\n  test-results/x.png']);
});
