import { randomBytes, randomInt, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { RECOVERY_CODE_COUNT } from '@/lib/shared/account/second-factor';
import type { NewRecoveryCodes } from '../records/second-factor-setup';

/** Crockford's base32, without letters that look like digits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'; // cspell:disable-line
/** 80 bits (NIST SP 800-63B-4, section 3.1.2.1: at least 64). */
const LENGTH = 16;
const GROUP = 4;
const SALT_BYTES = 16;
const DIGEST_BYTES = 32;
/** RFC 7914: 16 MiB and some 45 ms for each try. */
const COST = { N: 2 ** 14, r: 8, p: 1 };

const derive = promisify<string, Buffer, number, typeof COST, Buffer>(scrypt);

/** A new set. @returns the codes as they are shown, once, and what is stored of them */
export async function createRecoveryCodes(): Promise<{ shown: string[]; stored: NewRecoveryCodes }> {
  const codes = Array.from({ length: RECOVERY_CODE_COUNT }, createCode);
  const salt = randomBytes(SALT_BYTES).toString('base64url');
  const digests = await Promise.all(codes.map((code) => digestRecoveryCode(code, salt)));
  return { shown: codes.map(format), stored: { salt, digests } };
}

function createCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

function format(code: string): string {
  return (code.match(new RegExp(`.{${GROUP}}`, 'g')) ?? []).join('-');
}

/**
 * A recovery code as it was typed, in its stored spelling.
 * @returns null for what cannot be one
 */
export function readRecoveryCode(typed: string): string | null {
  const plain = typed.toUpperCase().replaceAll(/[\s\-–—]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1'); // prettier-ignore
  const isCode = plain.length === LENGTH && [...plain].every((character) => ALPHABET.includes(character));
  return isCode ? plain : null;
}

/** @param salt of its set, base64url @returns base64url */
export async function digestRecoveryCode(code: string, salt: string): Promise<string> {
  return (await derive(code, Buffer.from(salt, 'base64url'), DIGEST_BYTES, COST)).toString('base64url');
}
