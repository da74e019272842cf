import { toPlainText } from './plain-text';

/** Longer than any email address with a display name. Bounds the work on hostile input. */
const MAX_LENGTH = 1_000;

/**
 * Cleans a typed or pasted email address. It removes invisible characters, `mailto:`, a display name, angle brackets,
 * and a trailing dot, comma or semicolon. It folds full-width forms, digits and dots of other keyboards, and letter
 * case. An internationalized domain becomes ASCII, as in some browsers. Remaining errors are left for validation.
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
  // The removed part may have surrounded something else to remove.
  return cleaned === text ? toAsciiDomain(cleaned) : cleanEmail(cleaned);
}

/** A domain of letters, marks and digits only, with some characters beyond ASCII. */
const INTERNATIONAL = /^(?=.*[^\0-\x7f])[\p{L}\p{M}\p{N}.-]+$/u;

function toAsciiDomain(email: string): string {
  const at = email.lastIndexOf('@') + 1;
  const domain = email.slice(at);
  if (at === 0 || !INTERNATIONAL.test(domain) || !URL.canParse(`http://${domain}`)) return email;
  return email.slice(0, at) + new URL(`http://${domain}`).hostname;
}
