import { expect, test } from 'vitest';
import { isOtherProject } from './reconcile';

test.each([
  [10, 10, false],
  [100, 11, true],
  [1_000, 100, false],
  [1_000, 101, true],
])('of %i accounts, %i are gone: the records are of another project: %s', (accounts, count, expected) => {
  expect(isOtherProject({ accounts, gone: Array.from({ length: count }, String) })).toBe(expected);
});
