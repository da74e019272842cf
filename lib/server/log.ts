import pino from 'pino';
import { env } from '@/lib/config/env';
import { redact } from '@/lib/redaction';

let instance: pino.Logger | undefined;

/**
 * Structured log of the server. Every entry goes through the redaction that all reports share.
 * @param destination standard output unless told otherwise
 */
export function createLog(level: string, destination?: pino.DestinationStream): pino.Logger {
  const options: pino.LoggerOptions = {
    level,
    hooks: {
      logMethod(args, method) {
        method.apply(this, args.map((part: unknown) => redact(part)) as Parameters<pino.LogFn>);
      },
    },
  };
  return destination ? pino(options, destination) : pino(options);
}

export function log(): pino.Logger {
  instance ??= createLog(env().LOG_LEVEL);
  return instance;
}
