import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { env } from '../config/env';
import { deriveKeys } from '../keys';
import { processWide } from '../process-wide';

/** 64 bits: among a million accounts, two have the same hash with a probability of 3 in 100 million. */
const HASH_LENGTH = 16;
/** Of the accounts seen last. */
const MAX_CACHED = 10_000;

const keys = () => processWide('account-hash-keys', () => deriveKeys(env().TOKEN_ENCRYPTION_SECRET, 'log/account'));
const cache = () => processWide('account-hashes', () => new LRUCache<string, string>({ max: MAX_CACHED }));

/**
 * The name of an account in logs and error reports: HMAC-SHA-256 (RFC 2104) of its id, the first 8 bytes in hexadecimal.
 * It cannot be computed from an id without the key.
 */
export function hashAccount(uid: string): string {
  const known = cache().get(uid);
  if (known !== undefined) return known;
  const [hash = ''] = hashAccountByEverySecret(uid);
  cache().set(uid, hash);
  return hash;
}

/** By every secret in `TOKEN_ENCRYPTION_SECRET`, the present one first: older lines have the hash of an earlier one. */
export function hashAccountByEverySecret(uid: string): string[] {
  return keys().map((key) => createHmac('sha256', key).update(uid).digest('hex').slice(0, HASH_LENGTH));
}
