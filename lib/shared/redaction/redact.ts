import { isSecretName, REMOVED, TextRedaction } from './text';

/**
 * Redacts secrets from all data that leaves the product: page views, breadcrumbs, events, replays, server logs
 * (docs/adr/0015). `redaction/text` lists the names of secrets, and finds them in texts.
 */

/** Maximum text length of each sink, in characters. Longer texts are truncated before they are scanned. */
export const MAX_TEXT_LENGTH = {
  /** A message with its stack trace. */
  log: 8_192,
  /** A stack trace, a breadcrumb, or lines of source code. */
  report: 16_384,
  /** A style sheet of a recorded page: if it were truncated, the replay could not be rendered. */
  recording: 1_000_000,
  /** Longer than any callback; the analytics service keeps 255 bytes of a property. */
  analytics: 2_048,
} as const;
/** A truncated secret may no longer be recognizable: the word at the cut is removed too, up to this many characters. */
const MAX_CUT_WORD = 512;
const CUT = '[cut]';

const MAX_DEPTH = 12;
/** A reported value can contain much of a page: values beyond this count are removed without being scanned. */
const MAX_VALUES = 50_000;

export type RedactionOptions = {
  /** Maximum text length, in characters; default `MAX_TEXT_LENGTH.report`. */
  maxLength?: number;
  /** Names whose values are sent unchanged, such as the analytics service's own `email`. */
  kept?: ReadonlySet<string>;
};

/** V8's message of a `JSON.parse` quotes the input: of a file of keys, also one that a library reads, it would be a part of a key. */
const QUOTED_JSON = /Unexpected token '[^]{1,100}? is not valid JSON/g;

/** Removes secret parameters, JSON members and headers, URL fragments, email addresses, tokens and credentials. */
export function redactText(text: string, maxLength: number = MAX_TEXT_LENGTH.report): string {
  const unquoted = cutText(text, maxLength).replaceAll(QUOTED_JSON, `${REMOVED} is not valid JSON`);
  return new TextRedaction(unquoted).run();
}

/** Like `redactText`, for a URL: its fragment is removed as well. */
export function redactAddress(address: string, maxLength?: number): string {
  return redactText(address.split('#', 1).join(''), maxLength);
}

/**
 * Like `redactText`, for every text inside a value; values of secret names are removed entirely. Errors become plain
 * objects; DOM elements, functions and other live objects are replaced by their type name.
 */
export function redact<T>(value: T, { maxLength, kept = new Set() }: RedactionOptions = {}): T {
  return visit(value, 0, { left: MAX_VALUES, kept, maxLength }) as T;
}

/**
 * Redacts a JSON text of any depth and length, such as a replay recording.
 * @throws SyntaxError when it is not JSON
 */
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

/** Private members of a JSON Web Key (RFC 7518, section 6): anywhere else, such names are harmless. */
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
 * A purely alphabetic `code` of an Error is the kind of failure, never a secret: `ECONNREFUSED`, `auth/user-disabled`. That
 * of a failed query is a SQLSTATE: `42P01`.
 */
function getErrorCode(error: Error): { code?: string; originalCode?: string } {
  // `originalCode`: the mail library's name for the code of the system's error.
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

/** Absent values and flags are not secrets. */
function isFilled(value: unknown): boolean {
  return value !== null && value !== undefined && typeof value !== 'boolean';
}
