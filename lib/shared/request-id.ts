/** Covers a UUID and the hexadecimal ids of common proxies. */
const REQUEST_ID = /^[\w-]{8,64}$/;

/**
 * The id of a request in logs, error reports and the `x-request-id` header of its response.
 * @param sent the request's own `x-request-id` header
 * @param isTrusted whether our own proxy wrote that header: two other callers could send the same id
 * @returns the sent id if it is trusted and has 8 to 64 letters, digits, `-` or `_`; otherwise a new UUID
 */
export function getRequestId(sent: string | null | undefined, isTrusted: boolean): string {
  return isTrusted && sent && REQUEST_ID.test(sent) ? sent : crypto.randomUUID();
}
