import * as z from 'zod/mini';
import { SIGN_UP } from './email-rules';

/** A display name: any script, but no control characters and no URL or email address. */
export const nameField = z.string().check(
  z.overwrite((text) => text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim()),
  z.minLength(SIGN_UP.nameMin, 'account-name:length'),
  z.maxLength(SIGN_UP.nameMax, 'account-name:length'),
  z.regex(/^[^\p{C}<>]*$/u, 'account-name:invalid'),
  z.refine((name) => !hasLink(name), 'account-name:invalid'),
);

/** A change of the name (docs/product.md#validation). */
export const nameSchema = z.object({ name: nameField });

/** Invisible to readers: control and format characters, fillers, joiners, directions, unassigned code points. */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * A period that does not end a word or an initial: `evil.com`, `.com`, `evil[.]com`; and the other characters that
 * links need. Periods of "J. R. Smith", "J.R. Smith", "St. John" and "Ph.D." pass: no top-level domain has one letter.
 */
const LINK = /@|:(?! |$)|(?:^|[^\p{L}\p{M}\p{N}])\.|\.(?![ ,;)"'’]|$|\p{Lu}(?:[., )]|$))/u;

/**
 * A name as a reader or an email client sees it: full-width and other compatibility forms folded, invisible characters
 * removed (NFKC, Unicode Standard Annex 15).
 */
export function foldName(name: string): string {
  const visible = name.replaceAll(/\s+/gu, ' ').normalize('NFKC').replaceAll(INVISIBLE, '').normalize('NFKC');
  return visible.replaceAll(/\s+/gu, ' ').trim();
}

/** Whether a name contains an email address or URL, or anything that an email client would turn into a link. */
export function hasLink(name: string): boolean {
  // IDNA treats the ideographic full stop as a dot (RFC 3490, section 3.1); its other forms are folded to these two.
  return LINK.test(foldName(name).replaceAll('。', '.'));
}
