/** The server's clock minus this device's, in milliseconds; 0 before the first response. */
let offset = 0;

/** @param date `Date` header of a response that no cache has stored (RFC 9110, section 6.6.1) */
export function recordServerTime(date: string | null): void {
  const time = Date.parse(date ?? '');
  if (Number.isFinite(time)) offset = time - Date.now();
}

/** Now, by the server's clock: the device's can be off by days. Milliseconds since 1970. */
export function getServerTime(): number {
  return Date.now() + offset;
}
