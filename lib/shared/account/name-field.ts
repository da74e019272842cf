// cspell:ignore keycaps VIRAMA virama Adlam Rahman
import * as z from 'zod/mini';
import { OPEN_TOP_LEVEL_DOMAINS } from './top-level-domains';

/** Allowed length of a name in characters (`NEXT_PUBLIC_NAME_LENGTH`). */
export type NameLength = { min: number; max: number };

/** A display name: any script, at least one letter, no control characters, no emoji, and no URL or email address. */
export const createNameField = ({ min, max }: NameLength) =>
  z.string().check(
    z.overwrite(cleanName),
    z.minLength(1, { error: 'account-name:missing', abort: true }),
    z.refine((name) => isWithin([...name].length, min, max), 'account-name:length'),
    z.regex(/^[^<>]*\p{L}[^<>]*$/u, 'account-name:invalid'),
    z.refine((name) => !UNUSUAL.test(withoutJoiners(name)), 'account-name:invalid'),
    z.refine((name) => !hasLink(name), 'account-name:invalid'),
  );

/** Schema of a name change (docs/product.md#validation). */
export const createNameSchema = (length: NameLength) => z.object({ name: createNameField(length) });

const isWithin = (count: number, min: number, max: number) => count >= min && count <= max;

/** Removes surrounding spaces, and joiners next to a space, where some keyboards leave them. */
function cleanName(text: string): string {
  const name = text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim();
  const single = name.replaceAll(/\u200C{2,}/g, '\u200C');
  return single.replaceAll(/\u200C(?= |$)/g, '').replaceAll(/(^| )\u200C/g, '$1');
}

/** Control, format and unassigned characters, and emoji with their parts: flags, keycaps, skin tones. */
const UNUSUAL = /[\p{C}\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}\uFE0F\u20E3]/u;

/**
 * Signs that remove the vowel of a consonant. A joiner after such a sign selects the form of the joined letters (RFC
 * 5892, appendix A).
 */
const VIRAMA =
  '\\u094D\\u09CD\\u0A4D\\u0ACD\\u0B4D\\u0BCD\\u0C4D\\u0CCD\\u0D3B\\u0D3C\\u0D4D\\u0DCA\\u0F84\\u1039\\u103A\\u1714\\u17D2\\u1A60\\u1B44\\uA806\\uA8C4\\uA953';
/** Letters of cursive scripts and their marks. A non-joiner keeps two of them apart, as in Persian names. */
const CURSIVE = '\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Nko}\\p{Script=Adlam}\\p{Script=Mongolian}\\p{Mn}';
const JOINER = new RegExp(`([${VIRAMA}])[\\u200C\\u200D]|([${CURSIVE}])\\u200C(?=[${CURSIVE}])`, 'gu');

/** Removes the joiners that belong to a name's spelling. */
function withoutJoiners(name: string): string {
  return name.replaceAll(JOINER, '$1$2');
}

/** Invisible characters: control and format characters, fillers, joiners, directions, unassigned code points. */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Characters that links need: a period that does not end a word or an initial (`evil.com`, `.com`, `evil[.]com`), and
 * others. The periods of "J. R. Smith", "J.R. Smith", "St. John" and "Ph.D." pass, because no top-level domain has a
 * single letter.
 */
const LINK = /@|:(?! |$)|(?:^|[^\p{L}\p{M}\p{N}])\.|\.(?![ ,;)"'’]|$|\p{Lu}(?:[., )]|$))/u;

/** A short title or initials before a name without a space in between: "Md.Rahman", "J.R.Smith", "St.John-Smith". */
const TITLED = /(^|[ (-])((?:\p{Lu}\p{L}{0,3}\.){1,3})(\p{Lu}\p{M}*\p{L}[\p{L}\p{M}'’-]+)(?=[ ,)]|$)/gu;

/**
 * Folds a name to what a reader or an email client sees. Full-width and other compatibility forms are folded, and
 * invisible characters are removed (NFKC, Unicode Standard Annex 15).
 */
export function foldName(name: string): string {
  const visible = name.replaceAll(/\s+/gu, ' ').normalize('NFKC').replaceAll(INVISIBLE, '').normalize('NFKC');
  return visible.replaceAll(/\s+/gu, ' ').trim();
}

/** Whether a name contains an email address, a URL, or text that an email client would turn into a link. */
export function hasLink(name: string): boolean {
  // IDNA treats the ideographic full stop as a dot (RFC 3490, section 3.1). Its other forms are folded to these two.
  return LINK.test(separateTitles(foldName(name).replaceAll('。', '.')));
}

/** Adds a space after the titles of a name, unless part of the name can be a domain. */
export function separateTitles(name: string): string {
  return name.replaceAll(TITLED, (whole, before: string, titles: string, last: string) => {
    const labels = [...titles.split('.').slice(1), last].map((label) =>
      label.toLowerCase().replace(/[^\p{L}\p{M}].*$/u, ''),
    );
    const canLink =
      /^www\./i.test(titles) || labels.some((label) => label.length === 2 || OPEN_TOP_LEVEL_DOMAINS.has(label));
    return canLink ? whole : `${before}${titles.replaceAll('.', '. ')}${last}`;
  });
}
