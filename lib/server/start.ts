import { ConfigurationError, env } from '@/lib/config/env';
import { connectErrorSink } from '@/lib/sentry/report';
import { log } from './log';

/** Validates the configuration and connects the error reports to the log; ends the process when it cannot run. */
export function startServer(): void {
  try {
    env();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
  connectErrorSink(({ error, context }) => log().error({ err: error, ...context }, 'unexpected error'));
}
