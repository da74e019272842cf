/**
 * Whether a password is little more than something anybody knows of its owner.
 * @param known e-mail address and brand; an address counts as a whole and by what stands before the at-sign
 */
export function personalPart(password: string, known: readonly string[]): boolean {
  const plain = letters(password);
  const parts = known.flatMap((text) => [text, text.split('@')[0] ?? '']).map(letters);
  // A short name inside a long password does no harm.
  return parts.some((part) => part.length >= 3 && plain.includes(part) && plain.length - part.length < 4);
}

/** What can be said aloud: a person's "L3na!" is as easy as "lena". */
function letters(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}
