export const REMOVED = '[redacted]';

/** Characters and words that can precede, follow or contain a secret. */
const MARK = /["=:#@\uff20]|eyJ|(?<![a-z0-9])(?:bearer|basic)[\s+]/gi;
/** Maximum white space between a name and its `:` or `=`. */
const MAX_SPACES = 8;
const NAME_CHARACTER = /[\w.$[\]-]/;
const MAX_SCHEME_LENGTH = 'bearer'.length;
const MAX_WORD_LENGTH = 20;
const HOST_END = /[\s/?#"<>]/;
const MAX_USER_INFO_LENGTH = 1_024;
const FRAGMENT_BREAK = /[\s"'#{};*\\]/;
/** A JSON number or literal, up to the end of its member. */
const SCALAR = /[\w.+-]+(?=\s*(?:[,}\]]|$))/y;
/** Absent values and flags, which are not secret. */
const NO_SECRET = /(?:true|false|null|undefined)(?=[\s,;&)\]}"']|$)/y;
const NEXT_PARAMETER = /&[\w.~[\]-]{1,80}=/y;

type Quote = { character: string; original: string; depth: number };
type Name = { text: string; quote?: Quote };
type Separator = { sign: string; end: number; depth: number };

/** Removes secrets from a text in a single pass. Time and memory are linear in its length. */
export class TextRedaction {
  private readonly text: string;
  private readonly decoded: DecodedText;
  private readonly pieces: string[] = [];
  /** Everything before this index is already in `pieces`. */
  private done = 0;
  /** Depths of the currently open double quotes, ascending. */
  private readonly openQuotes: number[] = [];

  constructor(private readonly source: string) {
    this.decoded = decodeText(source);
    this.text = this.decoded.text;
  }

  run(): string {
    MARK.lastIndex = 0;
    for (let found = MARK.exec(this.text); found; found = MARK.exec(this.text))
      MARK.lastIndex = Math.max(this.backToMark(this.redactAt(found.index)), found.index + 1);
    return this.pieces.join('') + this.getOriginal(this.done, this.text.length);
  }

  /** @returns the index to continue at */
  private redactAt(at: number): number {
    const mark = this.text[at] ?? '';
    if (mark === '"') return this.countQuote(at);
    if (mark === '#') return this.redactFragment(at);
    if (this.text.startsWith('://', at)) return this.redactUserInfo(at);
    if (mark === '=' || mark === ':') return this.redactMember(at);
    const found = findByForm(this.text, at, this.done);
    return found ? this.remove(found.begin, found.end, REMOVED) : at;
  }

  /** Removed text can end in a name or a scheme: `token: Bearer abc`, `code:cookie: abc`. */
  private backToMark(at: number): number {
    if (at !== this.done) return at;
    const [mark = ''] = /(?:[:=]|bearer|basic)$/i.exec(this.text.slice(Math.max(0, at - MAX_SCHEME_LENGTH), at)) ?? [];
    return at - mark.length;
  }

  /** Removes the value of a secret name: a parameter, a JSON member, a header, or `name: value` in prose. */
  private redactMember(at: number): number {
    const name = this.findSecretName(at);
    const isArrow = this.text.startsWith('=>', at);
    if (!name || (isArrow && !name.quote)) return at;
    if (name.quote?.character === '"') this.closeQuotes(name.quote.depth);
    const separator = { sign: this.text[at] ?? '', end: at + (isArrow ? 2 : 1), depth: this.getDepth(at) };
    let begin = separator.end;
    while ((name.quote ? /[\s+]/ : /[ \t+]/).test(this.text[begin] ?? '')) begin += 1;
    if (begin === this.text.length || getMatchLength(NO_SECRET, this.text, begin) > 0) return begin;
    if (isSystemErrorCode(name.text, this.text, begin)) return begin;
    // Quotes in a header belong to its value: `Cookie: a="b"; c=d`.
    const isLine = !name.quote && isLongHeader(name.text);
    if (!isLine && isQuote(this.text[begin]) && this.isOpening(begin, separator)) return this.redactQuoted(begin);
    if (name.quote && separator.sign === ':') return this.redactJsonValue(begin, separator, name.quote);
    return this.remove(begin, this.findEndOfValue(begin, separator, isLine), REMOVED);
  }

  private findSecretName(at: number): Name | null {
    let end = at;
    while (at - end < MAX_SPACES && /[\s+]/.test(this.text[end - 1] ?? '')) end -= 1;
    return isQuote(this.text[end - 1]) ? this.readQuotedName(end - 1) : this.readPlainName(end);
  }

  private readQuotedName(end: number): Name | null {
    const character = this.text[end] ?? '';
    const depth = this.getDepth(end);
    const earliest = Math.max(0, end - MAX_NAME_LENGTH);
    let begin = end;
    while (begin > earliest && !this.isQuoteAt(begin - 1, character, depth)) begin -= 1;
    const text = this.text.slice(begin, end);
    return isSecretName(text) ? { text, quote: { character, original: this.getOriginal(end, end + 1), depth } } : null;
  }

  private readPlainName(end: number): Name | null {
    const earliest = Math.max(0, end - MAX_NAME_LENGTH);
    let begin = end;
    while (begin > earliest && NAME_CHARACTER.test(this.text[begin - 1] ?? '')) begin -= 1;
    const text = this.text.slice(begin, end);
    if (!isSecretName(text) && !isSecretName(this.getEscapedLetter(begin) + text)) return null;
    return isHarmlessCode(this.getWordBefore(begin) + text) ? null : { text };
  }

  /** The escaped letter before a name, because `\token` is decoded as a tab and `oken`. */
  private getEscapedLetter(at: number): string {
    return at > 0 && this.getDepth(at - 1) === INNERMOST ? this.getOriginal(at - 1, at).slice(-1) : '';
  }

  /** The word before a name, as in `status code: 404`. */
  private getWordBefore(at: number): string {
    const [word = ''] = /[a-z]+[ +]$/i.exec(this.text.slice(Math.max(0, at - MAX_WORD_LENGTH), at)) ?? [];
    return word;
  }

  /** Whether a quote opens a value, or closes the text that contains the name: `"/x?token="`. */
  private isOpening(at: number, { end }: Separator): boolean {
    const isClosing = this.text[at] === '"' && at === end && this.getDepth(at) === this.getEnclosingDepth();
    return !isClosing || !/[\s,;)\]}>]|^$/.test(this.text[at + 1] ?? '');
  }

  private redactQuoted(opening: number): number {
    const character = this.text[opening] ?? '';
    const depth = this.getDepth(opening);
    let end = opening + 1;
    while (end < this.text.length && !this.isQuoteAt(end, character, depth) && !this.isEnclosingEnd(end)) end += 1;
    this.remove(opening + 1, end, REMOVED);
    return this.isQuoteAt(end, character, depth) ? end + 1 : end;
  }

  private redactJsonValue(begin: number, separator: Separator, { original }: Quote): number {
    const isNested = /[[{]/.test(this.text[begin] ?? '');
    const end = isNested ? this.findEndOfBrackets(begin) : begin + getMatchLength(SCALAR, this.text, begin);
    return this.remove(
      begin,
      end > begin ? end : this.findEndOfValue(begin, separator, false),
      original + REMOVED + original,
    );
  }

  /** Finds the end of an array or object, or of the surrounding quoted text, whichever comes first. */
  private findEndOfBrackets(begin: number): number {
    let open = 0;
    let quote: { character: string; depth: number } | null = null;
    for (let at = begin; at < this.text.length; at += 1) {
      const character = this.text[at] ?? '';
      if (this.isEnclosingEnd(at)) return at;
      if (quote) {
        if (this.isQuoteAt(at, quote.character, quote.depth)) quote = null;
      } else if (isQuote(character)) quote = { character, depth: this.getDepth(at) };
      else if (character === '[' || character === '{') open += 1;
      else if ((character === ']' || character === '}') && (open -= 1) === 0) return at + 1;
    }
    return this.text.length;
  }

  /** Finds the end of an unquoted value: the line for long headers, otherwise the word or query parameter. */
  private findEndOfValue(begin: number, { sign, depth }: Separator, isLine: boolean): number {
    const isNested = !isLine && /[[{]/.test(this.text[begin] ?? '') && this.getDepth(begin) <= depth;
    return this.findEnd(isNested ? this.findEndOfBrackets(begin) : begin, depth, (character, at) => {
      if (isLine) return character === '\n' || character === '\r';
      return isSpace(character) || (sign === '=' && getMatchLength(NEXT_PARAMETER, this.text, at) > 0);
    });
  }

  /** Removes fragments of URLs and paths. A `#` after a brace or a semicolon is part of a style sheet. */
  private redactFragment(at: number): number {
    let begin = at;
    while (begin > 0 && this.text[begin - 1] !== '/' && !FRAGMENT_BREAK.test(this.text[begin - 1] ?? '')) begin -= 1;
    if (this.text[begin - 1] !== '/') return at;
    return this.remove(at, this.findEnd(at + 1, this.getDepth(at), isSpace), '');
  }

  /** Removes user name and password of a URL (RFC 3986, section 3.2.1). */
  private redactUserInfo(at: number): number {
    const begin = at + 3;
    let end = begin;
    for (let i = begin; i < begin + MAX_USER_INFO_LENGTH; i += 1) {
      if (this.getDepth(i) > this.getDepth(at)) continue;
      if (this.text[i] === '@') end = i + 1;
      if (HOST_END.test(this.text[i] ?? ' ')) break;
    }
    return this.remove(begin, end, '');
  }

  private findEnd(begin: number, depth: number, isEnd: (character: string, at: number) => boolean): number {
    let at = begin;
    while (at < this.text.length && !this.isEnclosingEnd(at)) {
      const character = this.text[at] ?? '';
      // The outer parameter that contains this encoded text ends here.
      if (character === '&' && this.getDepth(at) < depth) return at;
      if (this.getDepth(at) <= depth && isEnd(character, at)) return at;
      at += 1;
    }
    return at;
  }

  private isQuoteAt(at: number, character: string, depth: number): boolean {
    return this.text[at] === character && this.getDepth(at) === depth;
  }

  private countQuote(at: number): number {
    const depth = this.getDepth(at);
    const wasOpen = this.openQuotes.includes(depth);
    this.closeQuotes(depth);
    if (!wasOpen) this.openQuotes.push(depth);
    return at;
  }

  /** Closes the quote at a depth, and all deeper quotes. */
  private closeQuotes(depth: number): void {
    while (this.getEnclosingDepth() >= depth) this.openQuotes.pop();
  }

  private getEnclosingDepth(): number {
    return this.openQuotes.at(-1) ?? -1;
  }

  /** Whether the enclosing quoted text ends at this index. */
  private isEnclosingEnd(at: number): boolean {
    return this.text[at] === '"' && this.getDepth(at) <= this.getEnclosingDepth();
  }

  private remove(begin: number, end: number, replacement: string): number {
    if (end === begin) return end;
    this.pieces.push(this.getOriginal(this.done, begin), replacement);
    this.done = end;
    return end;
  }

  private getOriginal(begin: number, end: number): string {
    return this.source.slice(this.decoded.getStart(begin), this.decoded.getStart(end));
  }

  private getDepth(at: number): number {
    return this.decoded.getDepth(at);
  }
}

function isQuote(character: string | undefined): boolean {
  return character === '"' || character === "'";
}

/** ASCII white space only, because a password may contain any other character. */
function isSpace(character: string): boolean {
  return /[\t-\r ]/.test(character);
}

// Secrets recognized by their format, regardless of name: email addresses, tokens, credentials.

type Range = { begin: number; end: number };

const CREDENTIALS = /(\w+[\s+]+)[\w.~+/=-]+/y;
/** A JWS or JWE (RFC 7515, RFC 7516). */
const TOKEN = /eyJ[\w-]*((?:\.[\w-]*)*)/y;
const MIN_TOKEN_HEAD = 11;
/** Letters of every script (RFC 6531, section 3.3), without spaces, dashes and the full-width at sign. */
const LETTERS = String.raw`\w\u00a1-\u167f\u1681-\u1fff\u200c\u200d\u2070-\u2fff\u3001-\uff1f\uff21-\uffef`;
const WORD_CHARACTER = new RegExp(`[${LETTERS}]`);
/** Excludes `&`, `=` and `/`, which are valid here but usually delimit URLs and queries. */
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
function findByForm(text: string, at: number, earliest: number): Range | null {
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
function getMatchLength(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

/**
 * Suffixes of names whose values are secret. They are compared in lower case and without separators, so `idToken`,
 * `id_token`, `ID-TOKEN`, `tokens` and `token2` all match.
 */
const SECRET_ENDING =
  /(?:token|secret|code|code(?:verifier|challenge)|(?:password|passwd|passphrase|pwd)(?:hash|confirm(?:ation)?)?|otp|credential|(?:api|private|access)key|cookie|authorization|email(?:address)?|saml(?:request|response)|assertion|relaystate|usersession|jwt)s?\d*$/;
/** Whole names only, because `spin`, `visibilityState` and `bypass` are harmless. */
const SECRET_WORDS = new Set(['state', 'pin', 'pass']);
/**
 * Codes that operators need and that are never secret: HTTP and SMTP statuses, exit and error codes, countries,
 * languages, currencies, and the support code that the self-check shows to learners.
 */
const HARMLESS_CODE = /(?:status|response|exit|error|country|language|currency|support)codes?$/;
/**
 * Names of system errors as the value of `code`. It is a list, because a device code also consists of capital letters.
 */
const SYSTEM_ERROR =
  /(["']?)(?:EACCES|EADDRINUSE|EADDRNOTAVAIL|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|EMFILE|ENETUNREACH|ENOENT|ENOSPC|ENOTFOUND|EPERM|EPIPE|EROFS|ETIMEDOUT)\1(?=[\s,;})\]]|$)/y;
/** Header names inside a longer name, as traces write them: `http.request.header.cookie.{cookie name}`. */
const HEADER_PART = /(?:^|[._-])(?:cookies?|authorization)(?:[._]|$)/i;
/** Headers whose value extends to the end of the line. */
const LONG_HEADER = /(?:cookies?|authorization)$/i;

/** Maximum length of a name that is compared, in characters. */
const MAX_NAME_LENGTH = 80;

export function isSecretName(name: string): boolean {
  const plain = normalizeName(name);
  if (HARMLESS_CODE.test(plain)) return false;
  return SECRET_ENDING.test(plain) || SECRET_WORDS.has(plain) || HEADER_PART.test(name);
}

/** Whether the words name a harmless code, such as `status code`. */
function isHarmlessCode(words: string): boolean {
  return HARMLESS_CODE.test(normalizeName(words));
}

/** Whether the text has the name of a system error here, quoted or not, and it is the value of `code`. */
function isSystemErrorCode(name: string, text: string, at: number): boolean {
  return normalizeName(name) === 'code' && getMatchLength(SYSTEM_ERROR, text, at) > 0;
}

function normalizeName(name: string): string {
  return name
    .slice(-MAX_NAME_LENGTH)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');
}

function isLongHeader(name: string): boolean {
  return LONG_HEADER.test(name);
}

/** A text with all its percent-encodings and JSON escapes decoded, and the original index of each character. */
type DecodedText = {
  text: string;
  /** Start index of a character in the original. For the text's length, it is the original's length. */
  getStart: (index: number) => number;
  /**
   * How often a character was encoded: 0 if it was not, `LEVELS` for each percent-encoding, and for quotes 1 more for
   * each surrounding JSON text. A value that begins at a depth cannot end at a deeper depth.
   */
  getDepth: (index: number) => number;
};

/** Depth of escapes that never end a value. `\n` can also be a literal backslash and an ordinary character. */
const INNERMOST = 65_535;
const LEVELS = 32;
const MAX_LAYERS = 2_000;
/** Decoded form of non-ASCII bytes, which are parts of letters in UTF-8 (RFC 3986, section 2.5). */
const LETTER = '\u00e0';
const ENCODED = /[%\\]/g;
/** Each additional encoding turns `%` into `%25`. */
const PERCENT = /%(?:25)*([0-9a-f]{2})/iy;
const UNICODE = /u([0-9a-f]{4})/iy;
const WHITE_SPACE = new Map([...'nrtbf'].map((letter) => [letter, letter === 'n' || letter === 'r' ? '\n' : ' ']));

/**
 * Decodes a text with any number of nested encodings in a single pass. It cannot distinguish an escape from a literal
 * `%41` or `\n`, so callers compare depths.
 */
export function decodeText(source: string): DecodedText {
  if (!/[%\\]/.test(source)) return { text: source, getStart: (index) => index, getDepth: () => 0 };
  const starts = new Int32Array(source.length + 1);
  const depths = new Uint16Array(source.length + 1);
  let text = '';
  const add = (character: string, start: number, depth: number) => {
    starts[text.length] = start;
    depths[text.length] = depth;
    text += character;
  };
  let at = 0;
  while (at < source.length) {
    ENCODED.lastIndex = at;
    const next = ENCODED.exec(source)?.index ?? source.length;
    for (let i = at; i < next; i += 1) starts[text.length + i - at] = i;
    text += source.slice(at, next);
    at = next < source.length ? addDecoded(source, next, add) : next;
  }
  starts[text.length] = source.length;
  return { text, getStart: (index) => starts[index] ?? source.length, getDepth: (index) => depths[index] ?? 0 };
}

type Add = (character: string, start: number, depth: number) => void;

/** @returns the index in the original to continue at */
function addDecoded(source: string, start: number, add: Add): number {
  const { character, end, depth } = readCharacter(source, start);
  if (character !== '\\') {
    add(character, start, depth);
    return end;
  }
  const backslashes = [start];
  let next = end;
  for (let more = readCharacter(source, next); more.character === '\\' && more.depth === depth;) {
    backslashes.push(next);
    next = more.end;
    more = readCharacter(source, next);
  }
  return addEscape(source, { backslashes, next, depth }, add);
}

function addEscape(source: string, escape: { backslashes: number[]; next: number; depth: number }, add: Add): number {
  const { backslashes, next, depth } = escape;
  const count = backslashes.length;
  const escaped = readCharacter(source, next);
  if (isQuote(escaped.character)) {
    // A quote nested in n JSON texts has 2^n - 1 backslashes. Backslashes before those are escaped content.
    const level = countTrailingZeros(count + 1);
    const own = count + 1 - 2 ** level;
    for (const start of backslashes.slice(0, own)) add('\\', start, depth);
    add(escaped.character, backslashes[own] ?? next, escaped.depth + level);
    return escaped.end;
  }
  const space = WHITE_SPACE.get(escaped.character);
  const [code, digits] = matchAt(UNICODE, source, next);
  const character = space ?? (digits === undefined ? undefined : String.fromCharCode(Number.parseInt(digits, 16)));
  if (character === undefined) {
    for (const start of backslashes) add('\\', start, depth);
    return next;
  }
  const end = space === undefined ? next + code.length : escaped.end;
  if (isQuote(character)) {
    const { level, own } = measureUnicodeQuote(count);
    for (const start of backslashes.slice(0, own)) add('\\', start, depth);
    add(character, backslashes[own] ?? next, depth + level);
    return end;
  }
  const canEnd = character === '&' || character.trim() === '';
  add(character, backslashes[0] ?? next, canEnd ? INNERMOST : depth);
  return end;
}

/**
 * Returns how many JSON texts surround a quote that is written as `\u0022` with this many backslashes, and how many
 * backslashes are escaped content. Each surrounding JSON text doubles the backslashes of the escape. The escape itself
 * may stand for `\"`, which counts as another JSON text.
 */
function measureUnicodeQuote(count: number): { level: number; own: number } {
  const doubled = countTrailingZeros(count);
  const inner = countTrailingZeros((count >> doubled) + 1);
  return { level: doubled + inner, own: count - (2 ** inner - 1) * 2 ** doubled };
}

function readCharacter(source: string, start: number): { character: string; end: number; depth: number } {
  const [code, digits] = source[start] === '%' ? matchAt(PERCENT, source, start) : [''];
  if (digits === undefined) return { character: source[start] ?? '', end: start + 1, depth: 0 };
  const byte = Number.parseInt(digits, 16);
  const layers = Math.min((code.length - 1) / 2, MAX_LAYERS);
  return {
    character: byte < 128 ? String.fromCharCode(byte) : LETTER,
    end: start + code.length,
    depth: layers * LEVELS,
  };
}

/** @returns the match at exactly this index, and its group */
function matchAt(pattern: RegExp, source: string, start: number): [string, string?] {
  pattern.lastIndex = start;
  const found = pattern.exec(source);
  return found ? [found[0], found[1]] : [''];
}

function countTrailingZeros(count: number): number {
  return 31 - Math.clz32(count & -count);
}
