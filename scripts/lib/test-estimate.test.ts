import { describe, expect, test } from 'vitest';
import { countTests, estimateSecondsLeft, type StepState } from './test-estimate.mjs';

const noTests = () => ({ total: 0, isComplete: false, tests: new Map<string, { name: string; ms: number }>() });
const done = (...names: string[]) => new Map(names.map((name) => [name, { name, ms: 1_000 }]));
const step = (more: Partial<StepState>): StepState => ({
  ...{ name: 'x', light: false, hasTests: true, listed: 0, elapsed: 0, state: 'waiting' as const },
  tests: noTests(),
  ...more,
});
const last = { seconds: 100, tests: { slow: 90_000, fast: 10_000 } };

describe('how many tests are done', () => {
  test('a check counts as one test', () => {
    const check = { hasTests: false };
    expect(countTests([step({ ...check, state: 'done' }), step(check)])).toEqual({
      done: 1,
      total: 2,
      isComplete: true,
    });
  });

  test('listed tests are a lower limit, those of the last run are not', () => {
    expect(countTests([step({ listed: 7 })])).toEqual({ done: 0, total: 7, isComplete: false });
    expect(countTests([step({ last })])).toEqual({ done: 0, total: 2, isComplete: true });
  });

  test('the count of this run replaces the count of the last', () => {
    const tests = { total: 5, isComplete: true, tests: done('slow') };
    expect(countTests([step({ last, state: 'running', tests })])).toEqual({ done: 1, total: 5, isComplete: true });
  });
});

describe('the time left', () => {
  test('is unknown if a step has no history', () => {
    expect(estimateSecondsLeft([step({ last }), step({})], 2)).toBeUndefined();
  });

  test('is the duration of the remaining tests in the last run', () => {
    const tests = { total: 2, isComplete: true, tests: done('fast') };
    const running = step({ last, state: 'running', elapsed: 10, tests });
    expect(estimateSecondsLeft([running, step({ last })], 2)).toBe(190);
  });

  test('increases if this run is slower than the last', () => {
    const tests = { total: 2, isComplete: true, tests: done('slow') };
    const running = step({ last, state: 'running', elapsed: 180, tests });
    expect(estimateSecondsLeft([running, step({ last })], 2)).toBe(220);
  });

  test('divides light steps among processors, but is at least the longest of them', () => {
    const light = (seconds: number) => step({ light: true, hasTests: false, last: { seconds, tests: {} } });
    expect(estimateSecondsLeft([light(30), light(30), light(40)], 2)).toBe(50);
    expect(estimateSecondsLeft([light(90), light(10)], 2)).toBe(90);
  });

  test('without a last run, is computed from the rate once a tenth is done', () => {
    const running = (count: number) => {
      const names = Array.from({ length: count }, (_, i) => String(i));
      const tests = { total: 100, isComplete: true, tests: done(...names) };
      return step({ state: 'running', elapsed: 30, tests });
    };
    expect(estimateSecondsLeft([running(9)], 2)).toBeUndefined();
    expect(estimateSecondsLeft([running(25)], 2)).toBe(90);
  });
});
