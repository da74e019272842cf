import { expect, test } from 'vitest';
import { countTests, estimateSecondsLeft, type StepState } from './test-estimate.mjs';

const createTests = (done: number, total: number, isComplete = true) => ({
  total,
  isComplete,
  tests: new Map(Array.from({ length: done }, (_, i) => [String(i), { name: String(i), ms: 1 }] as const)),
});
const step = (more: Partial<StepState>): StepState => ({
  ...{ name: 'x', seconds: 100, hasTests: true, state: 'waiting' as const, tests: createTests(0, 0, false) },
  ...more,
});

test('a check without tests counts as one test', () => {
  const check = { hasTests: false };
  expect(countTests([step({ ...check, state: 'done' }), step(check)])).toEqual({ done: 1, total: 2, isComplete: true });
});

test('the total is a lower bound until every step has reported its number of tests', () => {
  const running = step({ state: 'running', tests: createTests(3, 5) });
  expect(countTests([running, step({})])).toEqual({ done: 3, total: 5, isComplete: false });
  expect(countTests([running])).toEqual({ done: 3, total: 5, isComplete: true });
});

test('the time left follows the pace of this run, weighted by the usual duration of each step', () => {
  const half = step({ state: 'running', tests: createTests(5, 10) });
  expect(estimateSecondsLeft([half, step({ state: 'done' })], 300)).toBe(100);
  expect(estimateSecondsLeft([half, step({ seconds: 300 })], 50)).toBe(350);
});

test('the time left is unknown while almost nothing is done', () => {
  expect(estimateSecondsLeft([step({}), step({ state: 'running', tests: createTests(1, 100) })], 10)).toBeUndefined();
});
