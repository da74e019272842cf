import { ConfigurationError, env, publicEnv } from '@/lib/config/env';
import { connectErrorSink } from '@/lib/sentry/report';
import { log } from './log';
import { beginEnding } from './readiness';

/** Validates the configuration and connects the error reports; ends the process when it cannot run. */
export async function startServer(): Promise<void> {
  try {
    env();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
  process.once('SIGTERM', beginEnding);
  const { sentry } = publicEnv();
  const report = sentry ? (await import('@/sentry.server.config')).startSentry(sentry) : () => undefined;
  connectErrorSink(({ error, context }) => {
    log().error({ err: error, ...context }, 'unexpected error');
    report(error, context);
  });
}
