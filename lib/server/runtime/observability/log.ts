import { format, stripVTControlCharacters } from 'node:util';
import pino from 'pino';
import { MAX_TEXT_LENGTH, redact } from '@/lib/shared/redaction/redact';
import type { ProblemCode } from '@/lib/shared/problem';
import { getLogLevel } from '../config/env';
import { getLogOutput } from './log-output';
import { getRequestFacts } from './request-context';

let instance: pino.Logger | undefined;

/**
 * Creates the server's structured log. Every entry is redacted in the same way as all reports, and names the current
 * request.
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
  return pino(options, destination ?? getLogOutput());
}

/** The log entry of a response. It contains only our own constants and numbers. */
export type ResponseEntry = {
  /** A method that Node.js knows, because it refuses all others. */
  method: string | undefined;
  route: string;
  status: number;
  result: ProblemCode | 'ok';
  /** The rule of the account policy that refused the request (docs/account-policy.md). */
  rule?: string | undefined;
  /** Response time in milliseconds. */
  ms: number;
};

let responses: pino.Logger | undefined;

/**
 * Maximum lines per second and process about successful responses of frequent routes. Further responses are counted
 * (docs/adr/0039).
 */
const MAX_FREQUENT_LINES = 100;
const SECOND_MS = 1000;
let second = { since: 0, lines: 0 };
let notLogged = 0;

/**
 * Whether a successful response of a frequent route is not logged. At ten thousand checks per second, logging would
 * take a fifth of each check's time and add nothing to the metrics. The next line contains the number of skipped lines.
 */
function isBeyondBudget(): boolean {
  const now = performance.now();
  if (now - second.since >= SECOND_MS) second = { since: now, lines: 0 };
  second.lines += 1;
  if (second.lines <= MAX_FREQUENT_LINES) return false;
  notLogged += 1;
  return true;
}

/**
 * Logs a response, without redaction, because no part of the entry is client input and redaction would take most of the
 * time.
 * @param isFrequent whether not every success of the route needs a line
 */
export function logResponse(entry: ResponseEntry, isFrequent = false): void {
  responses ??= pino({ level: getLogLevel(), mixin: getRequestFacts }, getLogOutput());
  if (entry.result !== 'ok') return responses.info(entry, 'refused');
  if (!isFrequent) return responses.info(entry, 'answered');
  if (isBeyondBudget()) return;
  responses.info(notLogged === 0 ? entry : { ...entry, notLogged }, 'answered');
  notLogged = 0;
}

/** Turns the log off, for programs whose standard output is not a log. */
export function silenceLog(): void {
  instance = createLog('silent');
}

export function log(): pino.Logger {
  instance ??= createLog(getLogLevel());
  return instance;
}

const LEVELS = { debug: 'debug', trace: 'debug', log: 'info', info: 'info', warn: 'warn', error: 'error' } as const;

/**
 * Redirects the console output of the framework, of libraries and of Node.js to the log. So every line on standard
 * output is JSON and redacted, even before the app has started.
 */
export function writeConsoleToLog(): void {
  const log = createLog(getLogLevel());
  for (const method of ['debug', 'trace', 'log', 'info', 'warn', 'error'] as const)
    console[method] = (...parts: unknown[]) => {
      const text = stripVTControlCharacters(format(...parts)).trim();
      if (text !== '') log[parts.some(isClientGone) ? 'info' : LEVELS[method]]({ source: 'console' }, text);
    };
  // Replaces the listener of Node.js, which writes text to standard error.
  process.removeAllListeners('warning');
  process.on('warning', (err) => log.warn({ source: 'process', err }, 'warning'));
}

/**
 * Whether an error is about a client that closed the connection while sending a body. The framework prints an error for
 * each, so any client could fill the log.
 */
function isClientGone(part: unknown): boolean {
  return part instanceof Error && part.message === 'aborted' && 'code' in part && part.code === 'ECONNRESET';
}

/**
 * Makes text of unknown origin safe to print on a terminal. It writes characters that control the terminal or the
 * direction of text as `\u001b`.
 */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** Escapes control characters in lines of text and keeps the line feeds between them. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeControls).join('\n');
}
