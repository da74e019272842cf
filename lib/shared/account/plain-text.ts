/** Characters without a shape: zero-width and other format characters such as marks of direction, soft hyphens, variation selectors. */
const INVISIBLE = /[\p{Cf}\u{FE00}-\u{FE0F}]/gu;
const DIGIT = /^\p{Nd}$/u;

/**
 * What a reader takes a typed or pasted text for, whatever keyboard it comes from: without invisible characters, with compatibility forms
 * such as full-width ones folded (NFKC), and with the decimal digits of every script as ASCII. The ideographic full stop is a dot, as IDNA has
 * it (RFC 3490, section 3.1); its other forms are folded to it.
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
