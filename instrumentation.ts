import { reportError } from './lib/shared/error-reporting/report';
import { getRequestId, parseTraceparent } from './lib/shared/request-headers';

type FailedRequest = { path: string; method: string; headers: NodeJS.Dict<string | string[]> };
type FailedAt = { routePath: string; routeType: string };

/** Runs once when a server process starts. An invalid configuration stops the process here. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'edge') {
    const { startSentry } = await import('./sentry.edge.config');
    startSentry(process.env);
  }
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { startServer } = await import('@/lib/server/launch');
    await startServer();
  }
}

/** Reports uncaught errors of pages, routes and the middleware. */
export function onRequestError(error: unknown, request: FailedRequest, { routePath, routeType }: FailedAt): void {
  const { method, headers } = request;
  // The middleware or the API route has set it. The request is no longer being handled now.
  const requestId = getRequestId([headers['x-request-id']].flat()[0], true);
  const traceId = parseTraceparent(headers.traceparent)?.traceId;
  reportError(error, { during: 'answering a request', method, routePath, routeType, requestId, traceId });
}
