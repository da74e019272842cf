import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import * as z from 'zod';
import { ApiProblem } from '@/lib/api/problem';

const claimsSchema = z.object({
  jti: z.string(),
  mark: z.string(),
  payload: z.record(z.string(), z.string()),
  /** When it ends, seconds since 1970. */
  exp: z.int(),
});

/** What a token holds; nobody but this server reads it. */
export type CodeClaims = z.output<typeof claimsSchema>;

/** Seals claims as a compact JWE (RFC 7516; `dir`, A256GCM). */
export async function seal(claims: CodeClaims, key: Uint8Array): Promise<string> {
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
