/** A timestamp to the minute, the same wherever it is read, such as `November 21, 2026 at 10:42 AM UTC`. @param moment RFC 3339 */
export function displayMomentInUtc(moment: string): string {
  const options = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
  return `${new Intl.DateTimeFormat('en-US', options).format(new Date(moment))} UTC`;
}
