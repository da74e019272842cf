import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { headersFor } from './security-headers';

type Begun = { request: IncomingMessage; response: ServerResponse };

/**
 * Lets every answer of this process start with the headers that all must have; what is set later wins. Not by the
 * framework's configuration: it answers some requests before it looks there (addresses that are none, failures of its
 * own), and matches every request against every pattern.
 */
export function startAnswersWithHeaders(): void {
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as Begun;
    for (const [name, value] of headersFor(request.url ?? '/')) response.setHeader(name, value);
  });
}
