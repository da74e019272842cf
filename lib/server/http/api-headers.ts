import type { ServerResponse } from 'node:http';
import { dataOnly, everywhere, notTheHelper } from '../document/response-headers.json';

/** Of pages, and of the sign-in helper, next.config.js sets the same headers from the same file. */
const API_HEADERS = Object.entries({ ...everywhere, ...notTheHelper, ...dataOnly });

/** Sets the security headers of an API response. */
export function setApiHeaders(res: ServerResponse): void {
  for (const [name, value] of API_HEADERS) res.setHeader(name, value);
}
