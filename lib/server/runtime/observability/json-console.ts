import { format, stripVTControlCharacters } from 'node:util';
import { createLog } from './log';
import { getLogLevel } from '../config/env';

const LEVELS = { debug: 'debug', trace: 'debug', log: 'info', info: 'info', warn: 'warn', error: 'error' } as const;

/**
 * Sends what the framework and libraries print to the log: its banner, its own errors, and warnings of Node.js. So every
 * line on standard output is JSON and redacted, also before the app has started.
 */
export function writeConsoleToLog(): void {
  const log = createLog(getLogLevel());
  for (const method of ['debug', 'trace', 'log', 'info', 'warn', 'error'] as const)
    console[method] = (...parts: unknown[]) => {
      const text = stripVTControlCharacters(format(...parts)).trim();
      if (text !== '') log[parts.some(isClientGone) ? 'info' : LEVELS[method]]({ source: 'console' }, text);
    };
  // In place of the listener of Node.js itself, which writes text to standard error.
  process.removeAllListeners('warning');
  process.on('warning', (err) => log.warn({ source: 'process', err }, 'warning'));
}

/** The framework prints an error for every client that hangs up while it sends a body: anyone could fill the log. */
function isClientGone(part: unknown): boolean {
  return part instanceof Error && part.message === 'aborted' && 'code' in part && part.code === 'ECONNRESET';
}
