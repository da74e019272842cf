import pino from 'pino';
import { env } from '@/lib/config/env';

let instance: pino.Logger | undefined;

/** Structured log of the server. Secrets are cut out by name wherever they stand in an entry. */
export function log(): pino.Logger {
  instance ??= pino({
    level: env().LOG_LEVEL,
    redact: {
      paths: ['token', 'password', 'newPassword', 'code', 'oobCode', 'cookie', 'authorization', 'email'].flatMap(
        (name) => [name, `*.${name}`, `*.*.${name}`],
      ),
      censor: '[redacted]',
    },
  });
  return instance;
}
