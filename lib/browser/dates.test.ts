import { expect, it } from 'vitest';
import { displayDate, displayDay, displayMoment, displayRecent, displayTime } from './dates';

it.each([
  ['2026-11-21', 'November 21, 2026'],
  ['2024-02-29', 'February 29, 2024'],
  ['2026-02-30', null],
  ['1970-01-01', null],
  ['yesterday', null],
  [undefined, null],
])('%s is shown as %s', (date, shown) => {
  expect(displayDate(date, 'en')).toBe(shown);
});

it.each([
  ['UTC', 'November 21, 2026'],
  ['Pacific/Kiritimati', 'November 22, 2026'],
  ['America/New_York', 'November 21, 2026'],
])('shows the day of a moment in %s', (timeZone, day) => {
  expect(displayDay('2026-11-21T23:30:00.000Z', 'en', timeZone)).toBe(day);
});

it('shows a date in the time zone of the reader', () => {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  expect(displayDay('2026-11-21T23:30:00.000Z', 'en')).toBe(displayDay('2026-11-21T23:30:00.000Z', 'en', timeZone));
});

const NOW = Date.parse('2026-11-21T12:00:00.000Z');
const MINUTE = 60_000;

it.each([
  [0, '1 minute ago'],
  [59 * MINUTE, '59 minutes ago'],
  [60 * MINUTE, '1 hour ago'],
  [47 * 60 * MINUTE, 'yesterday'],
  [7 * 24 * 60 * MINUTE - 1, '6 days ago'],
])('%d ms ago is shown as %s, with the time of day', (age, relative) => {
  expect(displayRecent(new Date(NOW - age).toISOString(), 'en', NOW)).toMatch(
    new RegExp(`^${relative}, \\d+:\\d\\d [AP]M$`),
  );
});

it.each([-MINUTE, 7 * 24 * 60 * MINUTE])('%d ms ago is shown as a date', (age) => {
  const moment = new Date(NOW - age).toISOString();
  expect(displayRecent(moment, 'en', NOW)).toBe(displayMoment(moment, 'en'));
});

const EVENING = '2026-11-21T22:42:00.000';

it.each([
  ['en', /^November 21, 2026, 10:42 PM$/],
  // The version of `Intl` decides whether a comma or a word stands between date and time.
  ['es', /^21 de noviembre de 2026\D+22:42$/],
] as const)('shows a moment as is usual in %s', (language, shown) => {
  expect(displayMoment(EVENING, language)).toMatch(shown);
  expect(displayMoment(EVENING, language)).toContain(displayTime(new Date(EVENING), language));
});
