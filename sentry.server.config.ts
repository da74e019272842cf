import * as Sentry from '@sentry/nextjs';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { sentryOptions } from '@/lib/shared/error-reporting/options';
import { redactedTransport } from '@/lib/shared/error-reporting/outgoing';

/** Starts error reporting on the server. @returns the function that reports an error */
export function startSentry(service: NonNullable<PublicEnv['sentry']>) {
  Sentry.init({ ...sentryOptions(service), transport: redactedTransport(Sentry.makeNodeTransport) });
  return (error: unknown, context: Record<string, unknown>) => Sentry.captureException(error, { extra: context });
}
