import { expect, it } from 'vitest';
import { displayDate, displayDay } from './dates';

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

it('shows the day of a moment in the same way', () => {
  expect(displayDay('Sat, 21 Nov 2026 12:00:00 GMT')).toBe('November 21, 2026');
});
