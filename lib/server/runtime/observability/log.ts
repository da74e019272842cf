import { format, stripVTControlCharacters } from 'node:util';
import pino from 'pino';
import { MAX_TEXT_LENGTH, redact } from '@/lib/shared/redaction/redact';
import type { ProblemCode } from '@/lib/shared/problem';
import { getLogLevel } from '../config/env';
import { getLogOutput } from './log-output';
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
  return pino(options, destination ?? getLogOutput());
}

/** What the log says about a response: constants of our own, and numbers. */
export type ResponseEntry = {
  /** One that Node.js knows: it refuses all others. */
  method: string | undefined;
  route: string;
  status: number;
  result: ProblemCode | 'ok';
  /** Of the account policy, when one of its rules refused (docs/account-policy.md). */
  rule?: string | undefined;
  /** Response time in milliseconds. */
  ms: number;
};

let responses: pino.Logger | undefined;

/** Lines a second about successful answers of one frequent route, in a process; the others are counted (docs/adr/0039). */
const MAX_FREQUENT_LINES = 100;
const SECOND_MS = 1000;
let second = { since: 0, lines: 0 };
let notLogged = 0;

/**
 * Whether a successful answer of a frequent route gets no line: at ten thousand checks a second, lines would take a fifth of the time of
 * each, and say no more than the metrics. The next line tells how many there were.
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
 * Logs a response. Without redaction, which would take most of the time: no part of the entry is client input.
 * @param isFrequent of a route of which not every success needs a line
 */
export function logResponse(entry: ResponseEntry, isFrequent = false): void {
  responses ??= pino({ level: getLogLevel(), mixin: getRequestFacts }, getLogOutput());
  if (entry.result !== 'ok') return responses.info(entry, 'refused');
  if (!isFrequent) return responses.info(entry, 'answered');
  if (isBeyondBudget()) return;
  responses.info(notLogged === 0 ? entry : { ...entry, notLogged }, 'answered');
  notLogged = 0;
}

/** For programs whose standard output is not a log. */
export function silenceLog(): void {
  instance = createLog('silent');
}

export function log(): pino.Logger {
  instance ??= createLog(getLogLevel());
  return instance;
}

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

/**
 * Makes text of unknown origin safe to print on a terminal: characters that control it, or the direction of text, are written as
 * `\u001b`.
 */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** The same for lines: line feeds between them stay. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeControls).join('\n');
}
