import { CODE_ALPHABET } from '@/lib/account/one-time-code';
import { storage } from '@/lib/storage';

const KEY = 'support-code';
const LENGTH = 8;

let kept: string | null = null;

/** The code under which this tab's error reports are found by support; null until somebody has asked for one. */
export function supportCode(): string | null {
  return kept ?? storage('sessionStorage').getItem(KEY) ?? null;
}

/** Gives this tab a code, the same one each time. Says nothing of the learner. */
export function giveSupportCode(): string {
  kept = supportCode() ?? makeCode();
  storage('sessionStorage').setItem(KEY, kept);
  return kept;
}

function makeCode(): string {
  // 256 is a multiple of the alphabet's length, so every letter is as likely.
  const letters = [...crypto.getRandomValues(new Uint8Array(LENGTH))].map((byte) => CODE_ALPHABET[byte % CODE_ALPHABET.length]); // prettier-ignore
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`;
}
