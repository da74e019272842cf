import { createHmac } from 'node:crypto';
import { env } from '../config/env';
import { deriveKeys } from '../one-time-codes/keys';
import { processWide } from '../process-wide';

/** 64 bits: among a million accounts, two have the same hash with a probability of 3 in 100 million. */
const HASH_LENGTH = 16;

const keys = () => processWide('account-hash-keys', () => deriveKeys(env().TOKEN_ENCRYPTION_SECRET, 'log/account'));

/**
 * The name of an account in logs and error reports: HMAC-SHA-256 (RFC 2104) of its id, the first 8 bytes in hexadecimal.
 * It cannot be computed from an id without the key.
 */
export function hashAccount(uid: string): string {
  return keys()
    .slice(0, 1)
    .map((key) => computeHash(key, uid))
    .join('');
}

/** By every secret in `TOKEN_ENCRYPTION_SECRET`, the present one first: older lines have the hash of an earlier one. */
export function hashAccountByEverySecret(uid: string): string[] {
  return keys().map((key) => computeHash(key, uid));
}

function computeHash(key: Uint8Array, uid: string): string {
  return createHmac('sha256', key).update(uid).digest('hex').slice(0, HASH_LENGTH);
}
