import dayjs from 'dayjs';
import { useClientValue } from './hooks';
import { useLanguage } from './use-messages';
import { describeLanguage, getDateLocale, type Language } from '@/lib/shared/i18n/languages';
import { formatDate } from '@/lib/shared/moment';

const BACKEND = 'YYYY-MM-DD';
/** The platform's placeholder for a missing date. */
const START_OF_TIME = '1970-01-01';

/** Formats the time of day for the learner, such as `10:42 AM`. */
export function displayTime(time: Date, language: Language): string {
  return formatDate(time, language, { hour: 'numeric', minute: '2-digit' });
}

/**
 * Formats a timestamp for the learner, such as `November 21, 2026, 10:42 AM`.
 * @param moment RFC 3339
 */
export function displayMoment(moment: string, language: Language): string {
  const time = new Date(moment);
  // Avoid `November 21, 2026 at 10:42 AM`, because sentences have their own "at" and "on".
  if (language === 'en') return `${displayDay(moment, language)}, ${displayTime(time, language)}`;
  return formatDate(time, language, { dateStyle: 'long', timeStyle: 'short' });
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
 * Formats a past timestamp, such as `5 minutes ago, 10:42 AM`. A timestamp that is older than a week, or in the future
 * because of a wrong clock, has the format of `displayMoment`.
 * @param moment RFC 3339
 * @param now in milliseconds
 */
export function displayRecent(moment: string, language: Language, now = Date.now()): string {
  const age = now - Date.parse(moment);
  if (age < 0 || age >= DATED_FROM_MS) return displayMoment(moment, language);
  const [name, length] = UNITS.find(([, milliseconds]) => age >= milliseconds) ?? (['minute', 60_000] as const);
  const count = Math.max(1, Math.floor(age / length));
  const relative = new Intl.RelativeTimeFormat(getDateLocale(language), { numeric: 'auto' }).format(-count, name);
  return relative + describeLanguage(language).comma + displayTime(new Date(moment), language);
}

/**
 * Formats the calendar day of a timestamp, such as `November 21, 2026`.
 * @param moment RFC 3339
 * @param timeZone IANA name; defaults to that of this browser or server
 */
export function displayDay(moment: string, language: Language, timeZone?: string): string {
  return formatDate(new Date(moment), language, { dateStyle: 'long', timeZone });
}

/**
 * Formats a timestamp in the reader's time zone. Only the browser has that time zone, so the server renders the UTC day.
 * @param moment RFC 3339
 */
export function useDate(moment: string, display: typeof displayMoment = displayDay): string {
  const language = useLanguage();
  return useClientValue(() => display(moment, language), displayDay(moment, language, 'UTC'));
}

/**
 * Formats a platform date (`YYYY-MM-DD`) in the reader's language, in English as `MMMM D, YYYY`
 * (docs/product.md#constants). Returns null if there is no date.
 */
export function displayDate(date: string | undefined, language: Language): string | null {
  if (date === undefined || date <= START_OF_TIME) return null;
  const read = dayjs(date);
  if (!read.isValid() || read.format(BACKEND) !== date) return null;
  return formatDate(read.toDate(), language, { dateStyle: 'long' });
}
