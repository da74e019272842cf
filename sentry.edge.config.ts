import type { BaseTransportOptions } from '@sentry/core';
import * as Sentry from '@sentry/nextjs';
import { connectErrorSink } from '@/lib/shared/error-reporting/report';
import { redactedTransport, sentryOptions } from '@/lib/shared/error-reporting/options';

type EdgeTransportOptions = BaseTransportOptions & { headers?: Record<string, string> };

/**
 * Starts error reporting in the middleware's runtime.
 * @param variables the environment, which the Node.js process has already validated
 */
export function startSentry(variables: Record<string, string | undefined>): void {
  const dsn = variables.NEXT_PUBLIC_SENTRY_DSN;
  if (!dsn) return;
  const environment = variables.NEXT_PUBLIC_SENTRY_ENVIRONMENT || 'production';
  const release = variables.NEXT_PUBLIC_RELEASE || 'development';
  Sentry.init({ ...sentryOptions({ dsn, environment, release }), transport: redactedTransport(makeTransport) });
  connectErrorSink(({ error, context }) => Sentry.captureException(error, { extra: context }));
}

/** The edge build of the SDK does not export a transport. */
function makeTransport(options: EdgeTransportOptions) {
  return Sentry.createTransport(options, async ({ body }) => {
    const { url, headers = {} } = options;
    const request = { method: 'POST', body: body as BodyInit, headers };
    const response = await Sentry.suppressTracing(() => fetch(url, request));
    const header = (name: string) => response.headers.get(name);
    const pauses = { 'x-sentry-rate-limits': header('x-sentry-rate-limits'), 'retry-after': header('retry-after') };
    return { statusCode: response.status, headers: pauses };
  });
}
