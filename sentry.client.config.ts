import * as Sentry from '@sentry/nextjs';
import type { PublicEnv } from '@/lib/config/public-env';
import { RATES, sentryOptions, TUNNEL_PATH } from '@/lib/sentry/options';
import { connectErrorSink } from '@/lib/sentry/report';

/** Starts error reports and replays in the browser. Loaded by instrumentation-client.ts once the page is usable. */
export function startSentry(service: NonNullable<PublicEnv['sentry']>): void {
  Sentry.init({
    ...sentryOptions(service),
    tunnel: TUNNEL_PATH,
    replaysOnErrorSampleRate: RATES.replaysOnError,
    replaysSessionSampleRate: RATES.replays,
    integrations: [Sentry.replayIntegration({ maskAllText: true, blockAllMedia: true })],
  });
  connectErrorSink(({ error, context }) => Sentry.captureException(error, { extra: context }));
}
