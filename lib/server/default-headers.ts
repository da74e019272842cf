import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { atLeast } from '@/lib/security-headers';

type Begun = { request: IncomingMessage; response: ServerResponse };

/**
 * Lets every answer of this process start with the headers that all must have. The framework answers some requests
 * before it looks at its configuration (addresses that are none, failures of its own); what it sets later wins.
 */
export function startAnswersWithHeaders(): void {
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as Begun;
    for (const [name, value] of Object.entries(atLeast(request.url ?? '/'))) response.setHeader(name, value);
  });
}
