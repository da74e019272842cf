import dayjs from 'dayjs';
import { LANGUAGE } from '@/lib/shared/i18n/messages';

/** Date formats (docs/product.md#constants). */
const DISPLAY = 'MMMM D, YYYY';
const TIME = 'h:mm A';
const BACKEND = 'YYYY-MM-DD';
/** The platform's placeholder for a missing date. */
const START_OF_TIME = '1970-01-01';

/** Time of day as shown to the learner, such as `10:42 AM`. */
export function displayTime(time: Date): string {
  return dayjs(time).format(TIME);
}

/**
 * A timestamp as shown to the learner, such as `November 21, 2026, 10:42 AM`.
 * @param moment RFC 3339
 */
export function displayMoment(moment: string): string {
  return dayjs(moment).format(`${DISPLAY}, ${TIME}`);
}

/** Units of a relative time, in milliseconds. */
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;
/** From this age on, a timestamp is shown as a date. */
const DATED_FROM_MS = 7 * 86_400_000;

/**
 * A timestamp of the past, such as `5 minutes ago, 10:42 AM`; older than a week, or in the future of a wrong clock, as
 * `displayMoment`.
 * @param moment RFC 3339
 * @param now in milliseconds
 */
export function displayRecent(moment: string, now = Date.now()): string {
  const age = now - Date.parse(moment);
  if (age < 0 || age >= DATED_FROM_MS) return displayMoment(moment);
  const [name, length] = UNITS.find(([, milliseconds]) => age >= milliseconds) ?? (['minute', 60_000] as const);
  const count = Math.max(1, Math.floor(age / length));
  const relative = new Intl.RelativeTimeFormat(LANGUAGE, { numeric: 'auto' }).format(-count, name);
  return `${relative}, ${displayTime(new Date(moment))}`;
}

/**
 * The calendar day of a timestamp, such as `November 21, 2026`.
 * @param moment RFC 3339
 * @param timeZone IANA name; defaults to that of this browser or server
 */
export function displayDay(moment: string, timeZone?: string): string {
  return new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone }).format(new Date(moment));
}

/** A platform date (`YYYY-MM-DD`) as shown to the learner, such as `November 21, 2026`; null if there is none. */
export function displayDate(date: string | undefined): string | null {
  if (date === undefined || date <= START_OF_TIME) return null;
  const read = dayjs(date);
  return read.isValid() && read.format(BACKEND) === date ? read.format(DISPLAY) : null;
}
