import { isSecretName, REMOVED, TextRedaction } from './text';

/**
 * Redacts secrets from all data that leaves the product: page views, breadcrumbs, events, replays, server logs
 * (docs/adr/0015). `redaction/text` lists the names of secrets, and finds them in texts.
 */

/** Maximum text length for each sink, in characters. Longer texts are truncated before the scan. */
export const MAX_TEXT_LENGTH = {
  /** A message with its stack trace. */
  log: 8_192,
  /** A stack trace, a breadcrumb, or lines of source code. */
  report: 16_384,
  /** A style sheet of a recorded page. If it were truncated, the replay could not be rendered. */
  recording: 1_000_000,
  /** Longer than any callback. The analytics service keeps 255 bytes of a property. */
  analytics: 2_048,
} as const;
/** Maximum length of the removed word at the cut, because a truncated secret may no longer be recognizable. */
const MAX_CUT_WORD = 512;
const CUT = '[cut]';

const MAX_DEPTH = 12;
/** A reported value can contain much of a page, so values beyond this count are removed without a scan. */
const MAX_VALUES = 50_000;

export type RedactionOptions = {
  /** Maximum text length in characters, by default `MAX_TEXT_LENGTH.report`. */
  maxLength?: number;
  /** Names whose values are sent unchanged, such as the analytics service's own `email`. */
  kept?: ReadonlySet<string>;
};

/** V8's `JSON.parse` error quotes its input, which may be part of a key. */
const QUOTED_JSON = /Unexpected token '[^]{1,100}? is not valid JSON/g;

/** Removes secret parameters, JSON members and headers, URL fragments, email addresses, tokens and credentials. */
export function redactText(text: string, maxLength: number = MAX_TEXT_LENGTH.report): string {
  const unquoted = cutText(text, maxLength).replaceAll(QUOTED_JSON, `${REMOVED} is not valid JSON`);
  return new TextRedaction(unquoted).run();
}

/** Redacts a URL like any text, and removes its fragment. */
export function redactAddress(address: string, maxLength?: number): string {
  return redactText(address.split('#', 1).join(''), maxLength);
}

/**
 * Redacts every text in a value, and removes the values of secret names. Errors become plain objects. DOM elements,
 * functions and other live objects are replaced by their type name.
 */
export function redact<T>(value: T, { maxLength, kept = new Set() }: RedactionOptions = {}): T {
  return visit(value, 0, { left: MAX_VALUES, kept, maxLength }) as T;
}

/** Redacts a JSON text of any depth and length, such as a replay recording. @throws SyntaxError if it is not JSON */
export function redactJson(text: string): string {
  const read: unknown = JSON.parse(text, (name, value: unknown) => {
    if (isFilled(value) && isSecretName(name)) return REMOVED;
    return typeof value === 'string' ? redactText(value, MAX_TEXT_LENGTH.recording) : value;
  });
  return JSON.stringify(read);
}

function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const certain = Math.max(0, maxLength - MAX_CUT_WORD);
  const word = text.slice(certain, maxLength);
  return `${text.slice(0, certain)}${word.slice(0, word.search(/\S*$/))}${CUT}`;
}

type Walk = { left: number; kept: ReadonlySet<string>; maxLength: number | undefined };

function visit(value: unknown, depth: number, walk: Walk): unknown {
  walk.left -= 1;
  if (typeof value === 'string') return redactText(value, walk.maxLength);
  if (typeof value === 'function') return '[function]';
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH || walk.left < 0) return REMOVED;
  if (Array.isArray(value)) return value.map((item: unknown) => visit(item, depth + 1, walk));
  if (value instanceof Date) return value;
  if (value instanceof Error) return visitError(value, depth, walk);
  if (!isPlainObject(value)) return `[${getName(value)}]`;
  return visitEntries(value, depth, walk);
}

/** Private members of a JSON Web Key (RFC 7518, section 6). In other objects, these names are harmless. */
const PRIVATE_MEMBER = /^(?:d|dp|dq|k|oth|p|q|qi)$/;

function visitEntries(value: object, depth: number, walk: Walk): Record<string, unknown> {
  const isKey = 'kty' in value;
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] => {
    if (walk.kept.has(name)) return [name, inner];
    const isSecret = isSecretName(name) || (isKey && PRIVATE_MEMBER.test(name));
    return [name, isFilled(inner) && isSecret ? REMOVED : visit(inner, depth + 1, walk)];
  });
  return Object.fromEntries(entries);
}

function visitError(error: Error, depth: number, walk: Walk): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  const plain = { ...error, name, message, stack, ...(cause === undefined ? {} : { cause }) };
  return { ...visitEntries(plain, depth, walk), ...getErrorCode(error) };
}

const KIND_OF_FAILURE = /^[A-Za-z]+(?:[-_/][A-Za-z]+){0,8}$/;

/**
 * Returns an error's code if it is the kind of failure. A purely alphabetic code is never secret: `ECONNREFUSED`,
 * `auth/user-disabled`. A failed query has a SQLSTATE: `42P01`.
 */
function getErrorCode(error: Error): { code?: string; originalCode?: string } {
  // `originalCode`: the mail library's name for the code of the system error.
  const { code, originalCode, name } = error as { code?: unknown; originalCode?: unknown; name: string };
  const original = typeof originalCode === 'string' && KIND_OF_FAILURE.test(originalCode) ? { originalCode } : {};
  if (typeof code !== 'string') return original;
  const isState = name === 'RecordsError' && /^[\dA-Z]{5}$/.test(code);
  return isState || KIND_OF_FAILURE.test(code) ? { code, ...original } : original;
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function getName(value: object): string {
  const { constructor } = value as { constructor?: { name?: unknown } };
  return typeof constructor?.name === 'string' ? constructor.name : 'object';
}

/** Whether a value can be secret. Absent values and flags cannot. */
function isFilled(value: unknown): boolean {
  return value !== null && value !== undefined && typeof value !== 'boolean';
}
