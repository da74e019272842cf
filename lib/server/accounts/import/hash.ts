import type { UserImportOptions } from 'firebase-admin/auth';
import { z } from 'zod';

const rounds = (atLeast: number, atMost: number) => z.coerce.number().int().min(atLeast).max(atMost);
const bytes = z
  .base64()
  .min(4)
  .transform((text) => Buffer.from(text, 'base64'));
/** Each parameter as the operator gives it. */
const NAMES: Record<string, string> = {
  key: 'IMPORT_HASH_KEY (a variable, in base64)',
  saltSeparator: '--salt-separator',
  rounds: '--rounds',
  memoryCost: '--memory-cost',
  blockSize: '--block-size',
  parallelization: '--parallelization',
  derivedKeyLength: '--derived-key-length',
};

const keyed = z.object({ key: bytes });
const repeated = (atLeast: number, atMost: number) => z.object({ rounds: rounds(atLeast, atMost) });

/** Parameters that the identity provider requires for each hash algorithm. */
const PARAMETERS = {
  BCRYPT: z.object({}),
  SCRYPT: z.object({ key: bytes, saltSeparator: bytes, rounds: rounds(1, 8), memoryCost: rounds(1, 14) }),
  STANDARD_SCRYPT: z.object({
    memoryCost: rounds(1, 2 ** 20),
    blockSize: rounds(1, 64),
    parallelization: rounds(1, 16),
    derivedKeyLength: rounds(1, 256),
  }),
  HMAC_SHA512: keyed,
  HMAC_SHA256: keyed,
  HMAC_SHA1: keyed,
  HMAC_MD5: keyed,
  PBKDF2_SHA256: repeated(0, 120_000),
  PBKDF_SHA1: repeated(0, 120_000),
  SHA512: repeated(1, 8_192),
  SHA256: repeated(1, 8_192),
  SHA1: repeated(1, 8_192),
  MD5: repeated(0, 8_192),
} as const;

export const ALGORITHMS = Object.keys(PARAMETERS) as (keyof typeof PARAMETERS)[];

/**
 * Validates the hash options.
 * @param given parameters as written on the command line
 * @throws Error naming each missing or invalid one
 */
export function hashOptions(algorithm: string, given: Record<string, unknown>): UserImportOptions {
  const supported = ALGORITHMS.find((name) => name === algorithm);
  if (!supported) throw new Error(`Unknown hash algorithm. Supported: ${ALGORITHMS.join(', ')}`);
  const { success, data, error } = PARAMETERS[supported].safeParse(given);
  if (success) return { hash: { algorithm: supported, ...data } };
  const names = error.issues.map(({ path }) => NAMES[path.join('.')] ?? path.join('.'));
  throw new Error(`${supported} needs: ${names.join(', ')}`);
}
