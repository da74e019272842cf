import { reportError } from './lib/shared/error-reporting/report';

type FailedRequest = { path: string; method: string };
type FailedAt = { routePath: string; routeType: string };

/** Runs once when a server process starts: an invalid configuration stops the process here. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'edge') {
    const { startSentry } = await import('./sentry.edge.config');
    startSentry(process.env);
  }
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { startServer } = await import('./lib/server/start');
    await startServer();
  }
}

/** Reports uncaught errors of pages, routes and the middleware. */
export function onRequestError(error: unknown, { method }: FailedRequest, { routePath, routeType }: FailedAt): void {
  reportError(error, { during: 'answering a request', method, routePath, routeType });
}
