import { CODE_ALPHABET } from '@/lib/shared/account/typed-codes';
import { storage } from '@/lib/browser/storage';
import { SUPPORT_CODE_HEADER } from '@/lib/shared/request-headers';

/** The calls of this tab send it in a header of this name (lib/browser/api-client.ts). */
const KEY = SUPPORT_CODE_HEADER;
const LENGTH = 8;

let kept: string | null = null;

/** Returns the code by which support finds this tab's error reports. Null until a code was requested. */
export function getSupportCode(): string | null {
  return kept ?? storage('sessionStorage').getItem(KEY) ?? null;
}

/** Returns this tab's support code and creates it on first use. It contains no learner data. */
export function giveSupportCode(): string {
  kept = getSupportCode() ?? makeCode();
  storage('sessionStorage').setItem(KEY, kept);
  return kept;
}

function makeCode(): string {
  // 256 is a multiple of the alphabet's length, so every character is equally likely.
  const letters = [...crypto.getRandomValues(new Uint8Array(LENGTH))].map(
    (byte) => CODE_ALPHABET[byte % CODE_ALPHABET.length],
  );
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`;
}
