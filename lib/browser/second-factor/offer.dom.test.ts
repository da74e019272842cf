import { beforeEach, expect, it } from 'vitest';
import { isSetUpPutOff, putSetUpOff } from './offer';

const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;

beforeEach(() => localStorage.clear());

it('is put off for a day', () => {
  expect(isSetUpPutOff(NOW)).toBe(false);
  putSetUpOff(NOW);
  expect([0, 1, 23, 24].map((hours) => isSetUpPutOff(NOW + hours * HOUR))).toEqual([true, true, true, false]);
});

it('is not put off by a clock that was wrong', () => {
  putSetUpOff(NOW + 48 * HOUR);
  expect(isSetUpPutOff(NOW)).toBe(false);
});
