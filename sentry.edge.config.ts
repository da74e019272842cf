import * as Sentry from '@sentry/nextjs';
import { connectErrorSink } from '@/lib/sentry/report';
import { sentryOptions } from '@/lib/sentry/options';
import { redactOutgoing } from '@/lib/sentry/outgoing';

/**
 * Starts error reports where the middleware runs.
 * @param variables the environment; the Node.js process has checked it already
 */
export function startSentry(variables: Record<string, string | undefined>): void {
  const dsn = variables.NEXT_PUBLIC_SENTRY_DSN;
  if (!dsn) return;
  const environment = variables.NEXT_PUBLIC_SENTRY_ENVIRONMENT || 'production';
  const release = variables.NEXT_PUBLIC_RELEASE || 'development';
  redactOutgoing(Sentry.init(sentryOptions({ dsn, environment, release })));
  connectErrorSink(({ error, context }) => Sentry.captureException(error, { extra: context }));
}
