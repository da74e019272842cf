import { ApiProblem, type ProblemCode } from '@/lib/shared/problem';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { logProviderFailure } from './failure-log';
import { measureProviderCall } from './measure-call';
import type { ProviderOperation } from './operations';

/** Timeout of the provider, in milliseconds, and retry delay of the caller, in seconds. */
const REQUEST_TIMEOUT_MS = 5_000;
const RETRY_AFTER_SECONDS = 5;

/** The provider's errors for a token, a session cookie or an account. Any other error means it is unavailable. */
const ERROR_CODES = new Map<string, ProblemCode>(
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
 * Awaits a call to the identity provider.
 * @param operation its name in the metrics
 * @throws ApiProblem 401 with the provider's error, `password-weak` by its policy, or `provider-unavailable` when it
 *   did not respond in time
 */
export function callIdentityProvider<T>(request: Promise<T>, operation: ProviderOperation): Promise<T> {
  return measureProviderCall(operation, async () => {
    try {
      return await promiseTimeout(request, REQUEST_TIMEOUT_MS);
    } catch (error) {
      throw toProblem(error);
    }
  });
}

function toProblem(error: unknown): ApiProblem {
  const code = breaksPolicy(error) ? 'password-weak' : ERROR_CODES.get(getErrorCode(error));
  if (code === undefined || isKeyFetchFailure(error)) return providerUnavailable(error);
  return new ApiProblem(code, { cause: error });
}

/** The problem of a caller, and a log line for the operator when there is a cause. */
export function providerUnavailable(cause?: unknown): ApiProblem {
  if (cause !== undefined) logProviderFailure(cause);
  return new ApiProblem('provider-unavailable', { retryAfter: RETRY_AFTER_SECONDS, cause });
}

/** The provider's password policy has its own error, which firebase-admin does not know. */
function breaksPolicy(error: unknown): boolean {
  return error instanceof Error && error.message.includes('PASSWORD_DOES_NOT_MEET_REQUIREMENTS');
}

/** firebase-admin reports a caller error when it cannot fetch the provider's public keys. */
function isKeyFetchFailure(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Error fetching public keys');
}

function getErrorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}
