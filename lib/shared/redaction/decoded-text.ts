/** A text with all its percent-encodings and JSON escapes decoded, and the original index of each character. */
export type DecodedText = {
  text: string;
  /** Start index of a character in the original; for the text's length, the original's length. */
  getStart: (index: number) => number;
  /**
   * How often a character was encoded: 0 if not encoded, `LEVELS` for each percent-encoding, and for quotes 1 more for
   * each JSON text around them. A value that begins at one depth cannot end at a deeper one.
   */
  getDepth: (index: number) => number;
};

/** Depth of escapes that never end a value, such as `\n`: it can also be a literal backslash and an ordinary character. */
export const INNERMOST = 65_535;
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
 * Decodes a text with any number of nested encodings in one pass. It cannot distinguish an escape from a literal `%41`
 * or `\n`; callers compare depths instead.
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
    // A quote nested in n JSON texts has 2^n - 1 backslashes; any before those are escaped backslashes of the content.
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
 * How many JSON texts are around a quote written as `\u0022` with this many backslashes, and how many of those are
 * escaped backslashes of the content. Each JSON text around the escape doubles its backslashes; the escape may itself
 * have stood for a `\"`, which counts as one.
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

function isQuote(character: string): boolean {
  return character === '"' || character === "'";
}

function countTrailingZeros(count: number): number {
  return 31 - Math.clz32(count & -count);
}
