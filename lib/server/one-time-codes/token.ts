import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import * as z from 'zod';
import { ApiProblem } from '@/lib/shared/problem';

const claimsSchema = z.object({
  jti: z.string(),
  mark: z.string(),
  payload: z.record(z.string(), z.string()),
  /** Id shared by all codes of one flow: the first one and those sent again. */
  flow: z.string().optional(),
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

/** Seals claims as a compact JWE (RFC 7516; `dir`, A256GCM), padded to one size. */
export async function seal(claims: CodeClaims, key: Uint8Array): Promise<string> {
  const bytes = Buffer.byteLength(JSON.stringify(claims));
  return encrypt({ ...claims, pad: '.'.repeat((BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES) }, key);
}

/** Seals without padding, for links: only the recipient's mailbox sees them. */
export function sealShort(claims: CodeClaims, key: Uint8Array): Promise<string> {
  return encrypt(claims, key);
}

function encrypt(claims: CodeClaims & { pad?: string }, key: Uint8Array): Promise<string> {
  return new EncryptJWT(claims).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(key);
}

/** @throws ApiProblem `code-expired`, or `code-missing` for anything this key did not seal */
export async function unseal(token: string, key: Uint8Array, now: number): Promise<CodeClaims> {
  try {
    const { payload } = await jwtDecrypt(token, key, {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
      requiredClaims: ['exp', 'jti'],
      currentDate: new Date(now),
    });
    return claimsSchema.parse(payload);
  } catch (error) {
    throw new ApiProblem(error instanceof errors.JWTExpired ? 'code-expired' : 'code-missing', { cause: error });
  }
}
