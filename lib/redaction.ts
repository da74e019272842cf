/**
 * Keeps secrets out of whatever leaves the product: page views, breadcrumbs, events, replays, server logs
 * (product decisions, 7). The one place that says what a secret is.
 */

const NAMES = [
  ...['oobCode', 'code', 'token', 'id_?token', 'access_?token', 'refresh_?token', 'custom_?token', 'link_?token'],
  ...[
    'password',
    'new_?password',
    'current_?password',
    'email',
    'state',
    'code_(?:verifier|challenge)',
    'api_?key',
    'secret',
  ],
].join('|');
/** Headers also as a part of a longer name, as traces write them: `http.request.header.cookie.{name of the cookie}`. */
const SECRET_NAME = new RegExp(`^(?:${NAMES})$|(?:^|[._-])(?:cookies?|authorization)(?:[._]|$)`, 'i');
const REMOVED = '[redacted]';

/** `name=value`, at the start of a query, of a text, or of a word. */
const PARAMETER = new RegExp(`((?:^|[?&\\s"'])(?:${NAMES})=)[^&#\\s"'\\\\]*`, 'gi');
/** The same in JSON, also where it is a text inside another text and its quotes are escaped. */
const MEMBER = new RegExp(`((\\\\*["'])(?:${NAMES})\\2\\s*:\\s*\\2).*?((?<!\\\\)\\2|$)`, 'gis');
/** The same inside an address that is itself a parameter, encoded once or more. */
const ENCODED_PARAMETER = new RegExp(
  `(%(?:25)*(?:3F|26)(?:${NAMES})%(?:25)*3D)(?:(?!%(?:25)*(?:26|23))[^&#\\s"'\\\\])*`,
  'gi',
);
/** Of an address or a path; braces and the like belong to style sheets, not to addresses. */
const FRAGMENT = /((?:\w+:\/\/|\/)[^\s"'#{};*\\]*)#[^\s"'\\]*/g;
const ENCODED_FRAGMENT = /(https?%(?:25)*3A(?:(?!%(?:25)*23)[^&#\s"'\\])*)%(?:25)*23[^&#\s"'\\]*/gi;
const HEADER = /\b((?:set-)?cookie|authorization)(["']?\s*[:=]\s*["']?)[^\r\n"'\\]+/gi;
const CREDENTIALS = /\b(bearer|basic)\s+[\w.~+/=-]+/gi;
const EMAIL = /[\w.+-]+(?:@|%(?:25)*40)[\w-]+(?:\.[\w-]+)+/g;
const JWT = /eyJ[\w-]{8,}\.[\w-]*(?:\.[\w-]*){0,3}/g;

const DEEPEST = 12;
/** A reported value can hold half a page: beyond this nothing is looked at, and nothing sent. */
const MOST_VALUES = 50_000;

/** @returns the text without secret parameters, fragments of addresses, headers, e-mail addresses and tokens */
export function redactText(text: string): string {
  return text
    .replaceAll(MEMBER, `$1${REMOVED}$3`)
    .replaceAll(PARAMETER, `$1${REMOVED}`)
    .replaceAll(ENCODED_PARAMETER, `$1${REMOVED}`)
    .replaceAll(FRAGMENT, '$1')
    .replaceAll(ENCODED_FRAGMENT, '$1')
    .replaceAll(HEADER, `$1$2${REMOVED}`)
    .replaceAll(CREDENTIALS, `$1 ${REMOVED}`)
    .replaceAll(JWT, REMOVED)
    .replaceAll(EMAIL, REMOVED);
}

/** An address as it may be reported: redacted, without fragment and credentials. */
export function redactAddress(address: string): string {
  return redactText(address.replace(/#.*$/s, '').replace(/^(\w+:\/\/)[^/?#]*@/, '$1'));
}

/**
 * The same for every text inside a value; what stands under a secret name is removed whole. Errors become plain
 * objects; elements, functions and other live objects are named, not read.
 * @param kept names that are meant to be sent as they are, such as the analytics service's own `email`
 */
export function redact<T>(value: T, kept: ReadonlySet<string> = new Set()): T {
  const walk = { left: MOST_VALUES, kept };
  return visit(value, 0, walk) as T;
}

/**
 * Redacts a JSON text of any depth and length, such as a replay's recording.
 * @throws SyntaxError when it is not JSON
 */
export function redactJson(text: string): string {
  const read: unknown = JSON.parse(text, (name, value: unknown) => {
    if (SECRET_NAME.test(name) && isFilled(value)) return REMOVED;
    return typeof value === 'string' ? redactText(value) : value;
  });
  return JSON.stringify(read);
}

function visit(value: unknown, depth: number, walk: { left: number; kept: ReadonlySet<string> }): unknown {
  walk.left -= 1;
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'function') return '[function]';
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST || walk.left < 0) return REMOVED;
  if (Array.isArray(value)) return value.map((item: unknown) => visit(item, depth + 1, walk));
  if (value instanceof Date) return value;
  if (value instanceof Error) return visit(plainError(value), depth, walk);
  if (!isPlainObject(value)) return `[${nameOf(value)}]`;
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] => {
    if (walk.kept.has(name)) return [name, inner];
    return [name, SECRET_NAME.test(name) && isFilled(inner) ? REMOVED : visit(inner, depth + 1, walk)];
  });
  return Object.fromEntries(entries);
}

function plainError(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  return { ...error, name, message, stack, ...(cause === undefined ? {} : { cause }) };
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function nameOf(value: object): string {
  const { constructor } = value as { constructor?: { name?: unknown } };
  return typeof constructor?.name === 'string' ? constructor.name : 'object';
}

/** That nothing was there, or that something was, is no secret. */
function isFilled(value: unknown): boolean {
  return value !== null && value !== undefined && typeof value !== 'boolean';
}
