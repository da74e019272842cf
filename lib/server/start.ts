import { ConfigurationError, env, publicEnv } from '@/lib/config/env';
import { connectErrorSink } from '@/lib/sentry/report';
import { startAnswersWithHeaders } from './default-headers';
import { log } from './log';
import { beginEnding } from './readiness';

/** What nobody caught is our mistake, wherever it came from: said as loudly as can be. Next keeps the process alive. */
function watchForAccidents(): void {
  process.on('unhandledRejection', (err) => log().fatal({ err }, 'unhandled rejection'));
  process.on('uncaughtExceptionMonitor', (err) => log().fatal({ err }, 'uncaught exception'));
}

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
  watchForAccidents();
  startAnswersWithHeaders();
  const { sentry } = publicEnv();
  const report = sentry ? (await import('@/sentry.server.config')).startSentry(sentry) : () => undefined;
  connectErrorSink(({ error, context }) => {
    log().error({ err: error, ...context }, 'unexpected error');
    report(error, context);
  });
}
