// Threats: dependency-failure
import { expect, test } from 'vitest';
import { countSuppressed } from './repeated-failures';

test('the first failure of a kind is logged, and then one per minute with the number of those in between', () => {
  const count = (kind: string, now: number) => countSuppressed('a test', kind, now);
  expect([0, 1, 59_999, 60_000, 60_001].map((now) => count('ESOCKET', now))).toEqual([0, null, null, 2, null]);
  expect(count('EAUTH 535', 60_001)).toBe(0);
  expect(countSuppressed('another test', 'ESOCKET', 60_001)).toBe(0);
});
