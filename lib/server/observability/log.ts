import pino from 'pino';
import { getLogLevel } from '../config/env';
import { MAX_TEXT_LENGTH, redact } from '@/lib/shared/redaction/redact';
import { getRequestFacts } from './request-context';

let instance: pino.Logger | undefined;

/**
 * Structured log of the server. Every entry goes through the redaction shared by all reports, and names the request that
 * is being handled.
 * @param destination standard output by default
 */
export function createLog(level: string, destination?: pino.DestinationStream): pino.Logger {
  const options: pino.LoggerOptions = {
    level,
    mixin: getRequestFacts,
    hooks: {
      logMethod(args, method) {
        method.apply(
          this,
          args.map((part: unknown) => redact(part, { maxLength: MAX_TEXT_LENGTH.log })) as Parameters<pino.LogFn>,
        );
      },
    },
  };
  // Written at once: pino's own default writes in the background, and a line may come after those of the exit, or not at all.
  return pino(options, destination ?? pino.destination({ dest: 1, sync: true }));
}

/** For programs whose standard output is not a log. */
export function silenceLog(): void {
  instance = createLog('silent');
}

export function log(): pino.Logger {
  instance ??= createLog(getLogLevel());
  return instance;
}
