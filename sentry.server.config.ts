import * as Sentry from '@sentry/nextjs';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { redactedTransport, sentryOptions } from '@/lib/shared/error-reporting/options';
import { isLookup } from '@/lib/server/accounts';
import type { RequestFacts } from '@/lib/server/runtime';

/** Starts error reporting on the server. @returns the function that reports an error */
export function startSentry(service: NonNullable<PublicEnv['sentry']>) {
  // A lookup's URL contains part of a password's hash. Create no span, no breadcrumb and no tracing headers for it.
  const untraced = Sentry.nativeNodeFetchIntegration({ ignoreOutgoingRequests: isLookup });
  Sentry.init({
    ...sentryOptions(service),
    integrations: [untraced],
    transport: redactedTransport(Sentry.makeNodeTransport),
  });
  return (error: unknown, { requestId, traceId, account, ...extra }: Partial<RequestFacts> & Record<string, unknown>) =>
    Sentry.withScope((scope) => {
      // Support and operators find a report by the ids in the log.
      scope.setTags({ request_id: requestId, trace_id: traceId, account });
      if (traceId !== undefined) scope.setPropagationContext({ traceId, sampleRand: Math.random() });
      Sentry.captureException(error, { extra });
    });
}
