/** Not `lib/browser/dates.ts`: each module that is shared with this page makes learners' scripts longer. */
const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** Formats a moment in the time zone of the operator, such as `29 Nov 2026, 10:42`. @param moment RFC 3339, or milliseconds */
export function displayMoment(moment: string | number): string {
  return MOMENT.format(new Date(moment));
}
