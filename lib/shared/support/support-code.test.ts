import { expect, it } from 'vitest';
import { parseSupportCode } from './support-code';

it.each([
  ['8c1d-4e5f', '8C1D-4E5F'],
  [' 8C1D-4E5F ', '8C1D-4E5F'],
  ['KX7Q-0ZZ9', 'KX7Q-0ZZ9'],
  ['8C1D4E5F', null],
  ['8C1D-4E5F\n{"level":60}', null],
  ['8C1D-4E5F-1', null],
  [undefined, null],
  [['8C1D-4E5F'], null],
])('%j is read as %j', (given, code) => {
  expect(parseSupportCode(given)).toBe(code);
});
