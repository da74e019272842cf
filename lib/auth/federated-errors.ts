import { authErrorCodeOf, type AuthErrorCode } from './error-codes';

/** The SDK's words for one of ours. */
const SAME: Partial<Record<string, AuthErrorCode>> = {
  'auth/cancelled-popup-request': 'auth/popup-closed-by-user',
  'auth/user-cancelled': 'auth/popup-closed-by-user',
  'auth/redirect-cancelled-by-user': 'auth/popup-closed-by-user',
  'auth/credential-already-in-use': 'auth/email-already-in-use/link',
  'auth/user-mismatch': 'auth/link/invalid-email-for-link',
  'auth/timeout': 'auth/network-request-failed',
  'auth/web-storage-unsupported': 'auth/provider-failed',
};

/** The provider answered, but not with a person. */
const BAD_ANSWERS: readonly string[] = [
  'auth/invalid-credential',
  'auth/invalid-auth-event',
  'auth/missing-or-invalid-nonce',
  'auth/internal-error',
  'auth/operation-not-allowed',
  'auth/invalid-oauth-provider',
];

/**
 * The catalogue code of a failure with a provider (specification, section 8).
 * @param provider the id that was pressed; Google has a message of its own
 */
export function federatedErrorCode(error: unknown, provider: string): AuthErrorCode {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  // No answer came; the report tells operators, who may have put the helper on another host.
  if (isTimeout(error)) return 'auth/provider-failed';
  if (BAD_ANSWERS.includes(code)) {
    return provider === 'google.com' ? 'auth/invalid-result-from-google' : 'auth/provider-failed';
  }
  return SAME[code] ?? authErrorCodeOf(error);
}

/** Whether operators should hear of it: a cause we do not know, or an answer of the helper that never came. */
export function isWorthAReport(code: AuthErrorCode, error: unknown): boolean {
  return code === 'unknown' || isTimeout(error);
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout!';
}
