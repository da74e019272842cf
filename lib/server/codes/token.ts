import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import * as z from 'zod';
import { ApiProblem } from '@/lib/shared/problem';

const claimsSchema = z.object({
  jti: z.string(),
  mark: z.string(),
  payload: z.record(z.string(), z.string()),
  /** Id shared by all codes of one flow: the first one and those sent again. */
  flow: z.string().optional(),
  /** The browser that it was made for, by a secret that no other host can plant; none in tokens from before 2026-11-28. */
  browser: z.string().optional(),
  /** Expiry, seconds since 1970. */
  exp: z.int(),
});

/** Claims of a token; only this server can decrypt them. */
export type CodeClaims = z.output<typeof claimsSchema>;

/**
 * Sealed claims are padded to a multiple of this, in bytes. It fits the longest email (254) and account id (128), so
 * that all cookie tokens have one size, including those of imported accounts with their own ids.
 */
const BLOCK_BYTES = 768;

/** By the order of the secrets: the first one seals, all unseal. */
type Keys = readonly Uint8Array[];

/** Seals claims as a compact JWE (RFC 7516; `dir`, A256GCM), padded to one size. */
export async function seal(claims: CodeClaims, keys: Keys): Promise<string> {
  const bytes = Buffer.byteLength(JSON.stringify(claims));
  return encrypt({ ...claims, pad: '.'.repeat((BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES) }, keys);
}

/** Seals without padding, for links, which only the recipient's mailbox sees, and for codes that came with one. */
export function sealShort(claims: CodeClaims, keys: Keys): Promise<string> {
  return encrypt(claims, keys);
}

function encrypt(claims: CodeClaims & { pad?: string }, [key = new Uint8Array()]: Keys): Promise<string> {
  return new EncryptJWT(claims).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(key);
}

/**
 * Decrypts sealed claims.
 * @throws ApiProblem `code-expired`, or `code-missing` for anything that none of the keys sealed
 */
export async function unseal(token: string, keys: Keys): Promise<CodeClaims> {
  try {
    return claimsSchema.parse(await decrypt(token, keys));
  } catch (error) {
    throw new ApiProblem(error instanceof errors.JWTExpired ? 'code-expired' : 'code-missing', { cause: error });
  }
}

/** Only a token that a key does not open is tried with the next one: an expired one was opened. */
async function decrypt(token: string, [key = new Uint8Array(), ...others]: Keys): Promise<unknown> {
  try {
    const { payload } = await jwtDecrypt(token, key, {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
      requiredClaims: ['exp', 'jti'],
    });
    return payload;
  } catch (error) {
    if (others.length > 0 && error instanceof errors.JWEDecryptionFailed) return decrypt(token, others);
    throw error;
  }
}
