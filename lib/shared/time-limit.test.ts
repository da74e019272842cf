import { afterEach, expect, test } from 'vitest';
import { timeLimit } from './time-limit';

const own = globalThis.timeLimitFactor;
afterEach(() => {
  globalThis.timeLimitFactor = own;
});

test('a limit is the one of production unless the tests set a factor', () => {
  globalThis.timeLimitFactor = undefined;
  expect(timeLimit(250)).toBe(250);
  globalThis.timeLimitFactor = 10;
  expect(timeLimit(250)).toBe(2_500);
});
