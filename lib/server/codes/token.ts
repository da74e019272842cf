import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import * as z from 'zod';
import { ApiProblem } from '@/lib/shared/problem';

const claimsSchema = z.object({
  jti: z.string(),
  mark: z.string(),
  payload: z.record(z.string(), z.string()),
  /** Id shared by all codes of a flow, including codes that were sent again. */
  flow: z.string().optional(),
  /**
   * The browser that the token was made for, by a secret that no other host can plant. Absent in tokens from before
   * 2026-11-28.
   */
  browser: z.string().optional(),
  /** Expiry, seconds since 1970. */
  exp: z.int(),
});

/** Claims of a token. Only this server can decrypt them. */
export type CodeClaims = z.output<typeof claimsSchema>;

/**
 * Sealed claims are padded to a multiple of this. It fits the longest email (254) and account id (128), so that all
 * cookie tokens have the same size, including imported accounts with long ids.
 */
const BLOCK_BYTES = 768;

/** In the order of the secrets. The first key seals, and all keys unseal. */
type Keys = readonly Uint8Array[];

/** Seals claims as a compact JWE (RFC 7516; `dir`, A256GCM), padded to a fixed size. */
export async function seal(claims: CodeClaims, keys: Keys): Promise<string> {
  const bytes = Buffer.byteLength(JSON.stringify(claims));
  return encrypt({ ...claims, pad: '.'.repeat((BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES) }, keys);
}

/** Seals without padding: for links, which only the recipient's mailbox receives, and for other short-lived tokens. */
export function sealShort(claims: CodeClaims, keys: Keys): Promise<string> {
  return encrypt(claims, keys);
}

function encrypt(claims: CodeClaims & { pad?: string }, [key = new Uint8Array()]: Keys): Promise<string> {
  return new EncryptJWT(claims).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(key);
}

/** Decrypts sealed claims. @throws ApiProblem `code-expired`, or `code-missing` if none of the keys sealed it */
export async function unseal(token: string, keys: Keys): Promise<CodeClaims> {
  try {
    return claimsSchema.parse(await decrypt(token, keys));
  } catch (error) {
    throw new ApiProblem(error instanceof errors.JWTExpired ? 'code-expired' : 'code-missing', { cause: error });
  }
}

/** Tries the next key only if a key cannot decrypt the token. An expired token was decrypted. */
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
