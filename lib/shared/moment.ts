import { getDateLocale, type Language } from './i18n/languages';

/**
 * Formats a date. Some versions of `Intl` write a narrow no-break space before `AM`, but server and browser must write
 * the same text.
 */
export function formatDate(time: Date, language: Language, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(getDateLocale(language), options).format(time).replaceAll('\u202f', ' ');
}

/**
 * Formats a timestamp to the minute in UTC, which is the same for every reader, such as `November 21, 2026 at 10:42 AM
 * UTC`.
 * @param moment RFC 3339
 */
export function displayMomentInUtc(moment: string, language: Language = 'en'): string {
  const options = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
  return `${formatDate(new Date(moment), language, options)} UTC`;
}
