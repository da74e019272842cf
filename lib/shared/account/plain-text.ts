/**
 * Characters without a shape: zero-width and other format characters such as direction marks, soft hyphens and
 * variation selectors.
 */
const INVISIBLE = /[\p{Cf}\u{FE00}-\u{FE0F}]/gu;
const DIGIT = /^\p{Nd}$/u;

/**
 * Converts a typed or pasted text to what a reader sees, from any keyboard. It removes invisible characters, folds
 * compatibility forms such as full-width forms (NFKC), and converts all decimal digits to ASCII. The ideographic full
 * stop becomes a dot, as in IDNA (RFC 3490, section 3.1). Its other forms are folded to it.
 */
export function toPlainText(text: string): string {
  return text
    .replaceAll(INVISIBLE, '')
    .normalize('NFKC')
    .replaceAll('。', '.')
    .replaceAll(/\p{Nd}/gu, toAsciiDigit);
}

/** Unicode assigns decimal digits in runs from 0 to 9 (The Unicode Standard, section 4.6). */
function toAsciiDigit(digit: string): string {
  const at = digit.codePointAt(0) ?? 0;
  let first = at;
  while (DIGIT.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((at - first) % 10);
}
