/** Characters without a shape: zero-width and other format characters, soft hyphens, variation selectors. */
const INVISIBLE = /[\p{Cf}\u{FE00}-\u{FE0F}]/gu;

/**
 * Removes from a typed or pasted email address what a reader would not take for a part of it: invisible characters,
 * full-width forms, `mailto:`, a display name and angle brackets, a trailing dot, comma or semicolon, letter case. What
 * is still wrong is left for validation.
 */
export function cleanEmail(text: string): string {
  const visible = text.replaceAll(INVISIBLE, '').normalize('NFKC').trim();
  const [, inBrackets = visible] = /^[^<>\r\n]*<([^<>]*)>[.,;]*$/u.exec(visible) ?? [];
  return inBrackets
    .trim()
    .replace(/^(?:mailto:\s*)+/i, '')
    .replace(/[.,;\s]+$/u, '')
    .toLowerCase();
}
