import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { openConfigFile, env, type FileProblem, type ParsedFile, type ReloadingFile } from '@/lib/server/runtime';

/** Signature algorithms of ID tokens, with the kind of key that each needs. */
const KEY_OF_ALGORITHM = { RS256: 'RSA', PS256: 'RSA', ES256: 'EC', EdDSA: 'OKP' } as const;
export const SIGNING_ALGORITHMS = [
  'RS256',
  'PS256',
  'ES256',
  'EdDSA',
] as const satisfies (keyof typeof KEY_OF_ALGORITHM)[];
export type Algorithm = (typeof SIGNING_ALGORITHMS)[number];

/** RFC 7518, section 3.3, requires 2048 bits or more. Length in base64url. */
const MIN_MODULUS_LENGTH = Math.floor((2_048 / 8 / 3) * 4);

const base64url = z.string().regex(/^[\w-]+$/);
const common = { kid: z.string().min(1).max(64), use: z.literal('sig').optional() };
const rsa = { n: base64url.min(MIN_MODULUS_LENGTH), e: base64url, d: base64url };
const factors = { p: base64url, q: base64url, dp: base64url, dq: base64url, qi: base64url };
const elliptic = { crv: z.literal('P-256'), x: base64url, y: base64url, d: base64url };
const edwards = { crv: z.literal('Ed25519'), x: base64url, d: base64url };
const keySchema = z.discriminatedUnion('kty', [
  z.object({ ...common, kty: z.literal('RSA'), alg: z.enum(['RS256', 'PS256']).optional(), ...rsa, ...factors }),
  z.object({ ...common, kty: z.literal('EC'), alg: z.literal('ES256').optional(), ...elliptic }),
  z.object({ ...common, kty: z.literal('OKP'), alg: z.literal('EdDSA').optional(), ...edwards }),
]);
export type SigningKey = z.output<typeof keySchema>;
const fileSchema = z.object({ keys: z.array(z.unknown()) });

/** Keys in the order of the file. The first key of a kind signs. `version` changes with each change of the file. */
export type Keys = { version: number; keys: readonly SigningKey[] };

/**
 * Reads the private keys (JWK Set, RFC 7517), and rereads them when the file changes. An invalid key keeps its last
 * valid version.
 */
export function getKeysFile(path: string): ReloadingFile<Keys> {
  return openConfigFile('OIDC_KEYS_FILE', path, parseKeys);
}

/** Returns the keys in force, or null if there are none. */
export async function readKeys(): Promise<Keys | null> {
  const { OIDC_KEYS_FILE: path } = env();
  return path === undefined ? null : getKeysFile(path).read();
}

export function parseKeys(content: unknown, before: Keys | null): ParsedFile<Keys> {
  const { success, data: file } = fileSchema.safeParse(content);
  if (!success) throw new Error('must be a JWK Set with private keys');
  const problems: FileProblem[] = [];
  const keys = file.keys.flatMap((entry, at): SigningKey[] => {
    const read = keySchema.safeParse(entry);
    const fields = read.error?.issues.map(({ path }) => path.join('.') || 'kty') ?? [];
    if (read.success && isUsable(read.data)) return [read.data];
    const faults = fields.join(', ') || 'no signature can be made with it';
    problems.push({ message: `A key is invalid: ${faults}`, context: { key: String(at + 1) } });
    return before?.keys.filter(({ kid }) => kid === (entry as { kid?: unknown } | null)?.kid) ?? [];
  });
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length) throw new Error('has two keys with one kid');
  if (keys.length === 0) throw new Error('has no key that can sign');
  return { value: { version: (before?.version ?? 0) + 1, keys }, problems };
}

/** Whether the values form a key. Only reading the key shows that. */
function isUsable(key: SigningKey): boolean {
  try {
    createPrivateKey({ key, format: 'jwk' });
    return true;
  } catch {
    return false;
  }
}

/**
 * Converts the keys for the library. It prefers a key with `alg` to an earlier key without, but `findSigningKey` does
 * not. So a later key must not have its own algorithm.
 */
export function toLibraryKeys({ keys }: Keys): SigningKey[] {
  return keys.map((key, at) => {
    const isBehind = keys.slice(0, at).some(({ kty, alg }) => kty === key.kty && alg === undefined);
    return isBehind ? { ...key, alg: undefined } : { ...key };
  });
}

/** Finds the first key that signs with the algorithm. */
export function findSigningKey({ keys }: Keys, algorithm: Algorithm): SigningKey | undefined {
  return keys.find(({ kty, alg }) => kty === KEY_OF_ALGORITHM[algorithm] && (alg ?? algorithm) === algorithm);
}

export function canSign(keys: Keys, algorithm: Algorithm): boolean {
  return findSigningKey(keys, algorithm) !== undefined;
}
