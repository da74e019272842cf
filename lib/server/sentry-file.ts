import { publicEnv } from '@/lib/config/env';
import { DROPPED } from '@/lib/sentry/drop-rules';
import { RATES, TUNNEL_PATH } from '@/lib/sentry/options';
import { REPLAY } from '@/lib/sentry/replay';

/** How errors are reported, for operators (product decisions, 7). The DSN stands in it without its secret. */
export function sentryFile() {
  const { sentry } = publicEnv();
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
