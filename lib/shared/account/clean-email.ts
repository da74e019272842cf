/** Characters without a shape: zero-width and other format characters, soft hyphens, variation selectors. */
const INVISIBLE = /[\p{Cf}\u{FE00}-\u{FE0F}]/gu;

/** Longer than any email address with a display name; bounds the work on hostile input. */
const MAX_LENGTH = 1_000;

/**
 * Removes from a typed or pasted email address what a reader would not take for a part of it: invisible characters,
 * full-width forms, `mailto:`, a display name and angle brackets, a trailing dot, comma or semicolon, letter case. What
 * is still wrong is left for validation.
 */
export function cleanEmail(text: string): string {
  if (text.length > MAX_LENGTH) return text;
  const visible = text.replaceAll(INVISIBLE, '').normalize('NFKC').trim();
  const [, inBrackets = visible] = /^[^<>\r\n]*<([^<>]*)>[.,;]*$/u.exec(visible) ?? [];
  const cleaned = inBrackets
    .trim()
    .replace(/^(?:mailto:\s*)+/i, '')
    .replace(/[.,;\s]+$/u, '')
    .toLowerCase();
  // What was removed may have been around something else to remove.
  return cleaned === text ? cleaned : cleanEmail(cleaned);
}
