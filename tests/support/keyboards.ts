// cspell:ignore Adlam
import type { Locator } from '@playwright/test';

/**
 * The digit 0 of scripts whose keyboards have their own digits. Adlam is written from right to left and is outside the
 * basic plane.
 */
const ZEROS = {
  'Arabic-Indic': '\u0660',
  Persian: '\u06f0',
  Devanagari: '\u0966',
  Bengali: '\u09e6',
  Adlam: '\u{1e950}',
  'full-width': '\uff10',
} as const;
export const KEYBOARDS = Object.keys(ZEROS) as Keyboard[];
export type Keyboard = keyof typeof ZEROS;

const FULL_WIDTH_OFFSET = 0xfee0;

/**
 * Writes a text as another keyboard does. It replaces the digits, and for full-width keyboards all other characters,
 * too.
 */
export function writeWith(keyboard: Keyboard, text: string): string {
  const zero = ZEROS[keyboard].codePointAt(0) ?? 0;
  return [...text]
    .map((character) => {
      const at = character.codePointAt(0) ?? 0;
      if (/\d/.test(character)) return String.fromCodePoint(zero + Number(character));
      return keyboard === 'full-width' && /[!-~]/.test(character)
        ? String.fromCodePoint(at + FULL_WIDTH_OFFSET)
        : character;
    })
    .join('');
}

/**
 * Types into a field like an input method, which shows the composed text, replaces it with each key, and commits it.
 */
export async function compose(field: Locator, text: string): Promise<void> {
  await field.focus();
  const client = await field.page().context().newCDPSession(field.page());
  for (let end = 1; end <= text.length; end += 1)
    await client.send('Input.imeSetComposition', { text: text.slice(0, end), selectionStart: end, selectionEnd: end });
  await client.send('Input.insertText', { text });
  await client.detach();
}
