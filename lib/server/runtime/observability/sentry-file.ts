import { getPublicEnv } from '../config/env';
import { DROPPED, RATES, REPLAY, TUNNEL_PATH } from '@/lib/shared/error-reporting/options';

/**
 * Error-reporting settings for operators (docs/product.md#analytics-and-error-reporting). The DSN is included without
 * its secret.
 */
export function sentryFile() {
  const { sentry } = getPublicEnv();
  return {
    enabled: sentry !== null,
    dsn: sentry?.dsn ?? null,
    environment: sentry?.environment ?? null,
    release: sentry?.release ?? null,
    debug: false,
    tunnel: TUNNEL_PATH,
    tracesSampleRate: RATES.traces,
    replaysOnErrorSampleRate: RATES.replaysOnError,
    replaysSessionSampleRate: RATES.replays,
    replay: REPLAY,
    droppedErrors: DROPPED,
  };
}
