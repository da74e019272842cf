import * as Sentry from '@sentry/nextjs';
import type { PublicEnv } from '@/lib/config/public-env';
import { sentryOptions } from '@/lib/sentry/options';
import { redactOutgoing } from '@/lib/sentry/outgoing';

/** Starts error reports on the server. @returns the function that reports an error */
export function startSentry(service: NonNullable<PublicEnv['sentry']>) {
  redactOutgoing(Sentry.init(sentryOptions(service)));
  return (error: unknown, context: Record<string, unknown>) => Sentry.captureException(error, { extra: context });
}
