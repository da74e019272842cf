import { ApiProblem } from '@/lib/api/problem';
import { SESSION } from '@/lib/session/contract';

/**
 * Refuses an ID token that was issued too long ago to open a session (specification, section 9: 1200 s).
 * @param issuedAt the token's `iat`, seconds since 1970
 * @throws ApiProblem `token-too-old`
 */
export function checkTokenAge(issuedAt: number, now: number = Date.now()): void {
  if (now / 1000 - issuedAt > SESSION.maxTokenAge) throw new ApiProblem('token-too-old');
}
