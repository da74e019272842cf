import { toPlainText } from './plain-text';

/** Longer than any email address with a display name; bounds the work on hostile input. */
const MAX_LENGTH = 1_000;

/**
 * Removes from a typed or pasted email address what a reader would not take for a part of it: invisible characters,
 * full-width forms, digits and dots of other keyboards, `mailto:`, a display name and angle brackets, a trailing dot, comma or semicolon,
 * letter case. An internationalized domain becomes ASCII, as some browsers do. What is still wrong is left for validation.
 */
export function cleanEmail(text: string): string {
  if (text.length > MAX_LENGTH) return text;
  const visible = toPlainText(text).trim();
  const [, inBrackets = visible] = /^[^<>\r\n]*<([^<>]*)>[.,;]*$/u.exec(visible) ?? [];
  const cleaned = inBrackets
    .trim()
    .replace(/^(?:mailto:\s*)+/i, '')
    .replace(/[.,;\s]+$/u, '')
    .toLowerCase();
  // What was removed may have been around something else to remove.
  return cleaned === text ? toAsciiDomain(cleaned) : cleanEmail(cleaned);
}

/** A domain that is written with letters, marks and digits alone, some of them beyond ASCII. */
const INTERNATIONAL = /^(?=.*[^\0-\x7f])[\p{L}\p{M}\p{N}.-]+$/u;

function toAsciiDomain(email: string): string {
  const at = email.lastIndexOf('@') + 1;
  const domain = email.slice(at);
  if (at === 0 || !INTERNATIONAL.test(domain) || !URL.canParse(`http://${domain}`)) return email;
  return email.slice(0, at) + new URL(`http://${domain}`).hostname;
}
