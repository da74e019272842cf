import { expect, it } from 'vitest';
import { clockSkew } from './checks';

const date = 'Sat, 21 Nov 2026 12:00:00 GMT';
const noon = Date.parse(date);

it.each([
  ['right', noon, noon + 400, 0],
  ['a little off', noon + 50_000, noon + 52_000, 0],
  ['five minutes ahead', noon + 300_000, noon + 300_000, 300],
  ['an hour behind', noon - 3_600_000, noon - 3_600_000, -3600],
])('a clock that is %s', (_, sent, received, skew) => {
  expect(clockSkew(date, sent, received)).toBe(skew);
});

it.each([null, 'yesterday'])('has no result for %s', (header) => {
  expect(clockSkew(header, noon, noon)).toBeNull();
});
