import pino from 'pino';
import { env } from '../config/env';
import { MAX_TEXT_LENGTH, redact } from '@/lib/shared/redaction/redact';

let instance: pino.Logger | undefined;

/**
 * Structured log of the server. Every entry goes through the redaction shared by all reports.
 * @param destination standard output by default
 */
export function createLog(level: string, destination?: pino.DestinationStream): pino.Logger {
  const options: pino.LoggerOptions = {
    level,
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

export function log(): pino.Logger {
  instance ??= createLog(env().LOG_LEVEL);
  return instance;
}
