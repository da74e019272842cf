import type { Language } from './i18n/languages';

/** Of dates and numbers: codes and addresses have western digits, so these have them in Arabic, too. */
export function getDateLocale(language: Language): string {
  return `${language}-u-nu-latn`;
}

/** Some versions of `Intl` write a narrow no-break space before `AM`: server and browser must write the same. */
export function formatDate(time: Date, language: Language, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(getDateLocale(language), options).format(time).replaceAll('\u202f', ' ');
}

/**
 * A timestamp to the minute, the same wherever it is read, such as `November 21, 2026 at 10:42 AM UTC`.
 * @param moment RFC 3339
 */
export function displayMomentInUtc(moment: string, language: Language = 'en'): string {
  const options = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
  return `${formatDate(new Date(moment), language, options)} UTC`;
}

/** Such as `in 15 minutes`: 3000 seconds are not readable. */
export function displayWait(seconds: number, language: Language): string {
  const format = new Intl.RelativeTimeFormat(getDateLocale(language));
  if (seconds < 120) return format.format(seconds, 'second');
  if (seconds < 7_200) return format.format(Math.ceil(seconds / 60), 'minute');
  return format.format(Math.ceil(seconds / 3_600), 'hour');
}
