import dayjs from 'dayjs';

/** Date formats (specification, section 9). */
const DISPLAY = 'MMMM D, YYYY';
const BACKEND = 'YYYY-MM-DD';
/** What the platform writes for a date that never was. */
const START_OF_TIME = '1970-01-01';

/** The time of day for the learner, such as `10:42 AM`. */
export function displayTime(time: Date): string {
  return dayjs(time).format('h:mm A');
}

/** The day of a moment, such as `November 21, 2026`. @param moment as the identity provider writes it (RFC 7231) */
export function displayDay(moment: string): string {
  return dayjs(moment).format(DISPLAY);
}

/** A date of the platform (`YYYY-MM-DD`) for the learner, such as `November 21, 2026`; null for none. */
export function displayDate(date: string | undefined): string | null {
  if (date === undefined || date <= START_OF_TIME) return null;
  const read = dayjs(date);
  return read.isValid() && read.format(BACKEND) === date ? read.format(DISPLAY) : null;
}
