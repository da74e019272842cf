import { ConfigurationError, env, getPublicEnv } from './config/env';
import { connectErrorSink } from '@/lib/shared/error-reporting/report';
import { log } from './observability/log';
import { beginShutdown } from './observability/readiness';

/**
 * An uncaught error is a bug in this app, whatever its source: log it at the highest level. Next keeps the process
 * alive.
 */
function reportUncaughtErrors(): void {
  process.on('unhandledRejection', (err) => log().fatal({ err }, 'unhandled rejection'));
  process.on('uncaughtExceptionMonitor', (err) => log().fatal({ err }, 'uncaught exception'));
}

/** Validates the configuration and initializes error reporting; exits the process when it cannot run. */
export async function startServer(): Promise<void> {
  try {
    env();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
  process.once('SIGTERM', beginShutdown);
  reportUncaughtErrors();
  const { sentry } = getPublicEnv();
  const report = sentry ? (await import('@/sentry.server.config')).startSentry(sentry) : () => undefined;
  connectErrorSink(({ error, context }) => {
    log().error({ err: error, ...context }, 'unexpected error');
    report(error, context);
  });
}
