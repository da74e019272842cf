import { expect, it } from 'vitest';
import { displayDate } from './dates';

it.each([
  ['2026-11-21', 'November 21, 2026'],
  ['2024-02-29', 'February 29, 2024'],
  ['2026-02-30', null],
  ['1970-01-01', null],
  ['yesterday', null],
  [undefined, null],
])('%s is shown as %s', (date, shown) => {
  expect(displayDate(date)).toBe(shown);
});
