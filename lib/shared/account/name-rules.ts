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
