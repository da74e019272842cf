/** Maximum clock skew, in milliseconds; beyond it, tokens are rejected as too old or from the future. */
const TOLERANCE = 60_000;

/**
 * How far this device's clock is off.
 * @param date the server's `Date` header, whole seconds
 * @param sent when the request was sent, by this clock; `received` is when the response arrived
 * @returns seconds, positive when this clock is ahead; 0 within the tolerance; null when it cannot be determined
 */
export function clockSkew(date: string | null, sent: number, received: number): number | null {
  const server = Date.parse(date ?? '');
  if (Number.isNaN(server)) return null;
  const skew = (sent + received) / 2 - server;
  return Math.abs(skew) <= TOLERANCE ? 0 : Math.round(skew / 1000);
}
