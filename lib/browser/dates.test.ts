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

it.each([
  ['UTC', 'November 21, 2026'],
  ['Pacific/Kiritimati', 'November 22, 2026'],
  ['America/New_York', 'November 21, 2026'],
])('shows the day of a moment in %s', (timeZone, day) => {
  expect(displayDay('2026-11-21T23:30:00.000Z', timeZone)).toBe(day);
});

it('shows a date in the time zone of the reader', () => {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  expect(displayDay('2026-11-21T23:30:00.000Z')).toBe(displayDay('2026-11-21T23:30:00.000Z', timeZone));
});
