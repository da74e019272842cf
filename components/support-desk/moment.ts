/** Not `lib/browser/dates.ts`: each module that is shared with this page makes learners' scripts longer. */
const MOMENT = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'short', year: 'numeric' },
  // Seconds, as in the log.
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
});

/** Formats a moment in the time zone of the operator, such as `29 Nov 2026, 10:42:07 UTC`. @param moment RFC 3339, or milliseconds */
export function displayMoment(moment: string | number): string {
  return MOMENT.format(new Date(moment));
}
