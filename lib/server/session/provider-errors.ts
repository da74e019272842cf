import { ApiProblem, type ProblemCode } from '@/lib/api/problem';
import { promiseTimeout } from '@/lib/promise-timeout';

/** How long the provider may take, in milliseconds, and when the caller should try again, in seconds. */
const PATIENCE = 5_000;
const RETRY_AFTER = 5;

/** Verdicts of the provider on a token, a session cookie or an account. Everything else means that it gave none. */
const VERDICTS = new Map<string, ProblemCode>(
  Object.entries({
    'auth/id-token-expired': 'token-expired',
    'auth/session-cookie-expired': 'token-expired',
    'auth/id-token-revoked': 'token-revoked',
    'auth/session-cookie-revoked': 'token-revoked',
    'auth/user-not-found': 'user-deleted',
    'auth/user-disabled': 'user-disabled',
    'auth/argument-error': 'token-invalid',
    'auth/invalid-argument': 'token-invalid',
    'auth/invalid-id-token': 'token-invalid',
    'auth/invalid-session-cookie': 'token-invalid',
    'auth/invalid-password': 'password-weak',
  }),
);

/**
 * Asks the identity provider.
 * @throws ApiProblem 401 with the provider's verdict, `password-weak` by its policy, or `provider-unavailable` when it could not be asked in time
 */
export async function askProvider<T>(question: Promise<T>): Promise<T> {
  try {
    return await promiseTimeout(question, PATIENCE);
  } catch (error) {
    throw asProblem(error);
  }
}

function asProblem(error: unknown): ApiProblem {
  const verdict = breaksPolicy(error) ? 'password-weak' : VERDICTS.get(codeOf(error));
  if (verdict === undefined || isKeyFetchFailure(error)) return providerUnavailable(error);
  return new ApiProblem(verdict, { cause: error });
}

export function providerUnavailable(cause?: unknown): ApiProblem {
  return new ApiProblem('provider-unavailable', { retryAfter: RETRY_AFTER, cause });
}

/** The provider's password policy has an answer of its own, which firebase-admin does not know. */
function breaksPolicy(error: unknown): boolean {
  return error instanceof Error && error.message.includes('PASSWORD_DOES_NOT_MEET_REQUIREMENTS');
}

/** firebase-admin calls it the caller's fault when it cannot fetch the provider's public keys. */
function isKeyFetchFailure(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Error fetching public keys');
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
