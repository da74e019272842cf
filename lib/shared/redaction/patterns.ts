/** Secrets recognized by their format, regardless of name: email addresses, tokens, credentials. */

type Range = { begin: number; end: number };

const CREDENTIALS = /(\w+[\s+]+)[\w.~+/=-]+/y;
/** A JWS or JWE (RFC 7515, RFC 7516). */
const TOKEN = /eyJ[\w-]*((?:\.[\w-]*)*)/y;
const MIN_TOKEN_HEAD = 11;
/** Letters of every script (RFC 6531, section 3.3), without spaces, dashes and the full-width at sign. */
const LETTERS = String.raw`\w\u00a1-\u167f\u1681-\u1fff\u200c\u200d\u2070-\u2fff\u3001-\uff1f\uff21-\uffef`;
const WORD_CHARACTER = new RegExp(`[${LETTERS}]`);
/** Without `&`, `=` and `/`, which are valid here but usually delimit URLs and queries. */
const MAILBOX_CHARACTER = new RegExp(`[${LETTERS}.!$'*+^\`{|}~-]`);
const HOST = new RegExp(`[${LETTERS}.-]+`, 'y');
/** The ideographic full stops count as dots (RFC 3490, section 3.1). */
const DOT = /[.\u3002\uff0e\uff61]/;
const MAX_MAILBOX_LENGTH = 256;
const MAX_QUOTED_MAILBOX_LENGTH = 66;

/**
 * Finds the secret at a mark.
 * @param at index of an `@`, of the start of a token, or of an authentication scheme
 * @param earliest first index at which the secret can begin
 */
export function findByForm(text: string, at: number, earliest: number): Range | null {
  const mark = text[at]?.toLowerCase();
  if (mark === 'e') return findToken(text, at);
  return mark === 'b' ? findCredentials(text, at) : findEmail(text, at, earliest);
}

function findEmail(text: string, at: number, earliest: number): Range | null {
  const host = text.slice(at + 1, at + 1 + getMatchLength(HOST, text, at + 1));
  const labels = host.split(DOT).filter(Boolean);
  const hasDot = labels.length > 1 && /\D/.test(labels.at(-1) ?? '');
  if (!hasDot && !/[^\0-\x7f]/.test(host)) return null;
  const begin = findMailboxStart(text, at, earliest);
  let end = at + 1 + host.length;
  while (/[.-]/.test(text[end - 1] ?? '')) end -= 1;
  return begin < at ? { begin, end } : null;
}

function findMailboxStart(text: string, at: number, earliest: number): number {
  if (text[at - 1] === '"') {
    const first = Math.max(earliest, at - MAX_QUOTED_MAILBOX_LENGTH);
    const quote = text.slice(first, at - 1).lastIndexOf('"');
    return quote === -1 ? at : first + quote;
  }
  const first = Math.max(earliest, at - MAX_MAILBOX_LENGTH);
  let begin = at;
  while (begin > first && MAILBOX_CHARACTER.test(text[begin - 1] ?? '')) begin -= 1;
  while (begin < at && !WORD_CHARACTER.test(text[begin] ?? '')) begin += 1;
  return begin;
}

/** @returns an empty range at the end of a word that is not a token, so that it is scanned once */
function findToken(text: string, at: number): Range {
  TOKEN.lastIndex = at;
  const [token = '', rest = ''] = TOKEN.exec(text) ?? [];
  const end = at + token.length;
  const isToken = rest !== '' && token.length - rest.length >= MIN_TOKEN_HEAD;
  return { begin: isToken ? at : end, end };
}

/** Credentials after an authentication scheme (RFC 9110, section 11.1). */
function findCredentials(text: string, at: number): Range | null {
  CREDENTIALS.lastIndex = at;
  const [all = '', scheme = ''] = CREDENTIALS.exec(text) ?? [];
  return all === '' ? null : { begin: at + scheme.length, end: at + all.length };
}

/** @param pattern with the flag `y`, @returns the length of its match at exactly this index */
export function getMatchLength(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
