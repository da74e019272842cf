import { toAuthErrorCode, type AuthErrorCode } from './error-codes';

/** Maps SDK codes to ours. */
const SAME: Partial<Record<string, AuthErrorCode>> = {
  'auth/cancelled-popup-request': 'auth/popup-closed-by-user',
  'auth/user-cancelled': 'auth/popup-closed-by-user',
  'auth/redirect-cancelled-by-user': 'auth/popup-closed-by-user',
  'auth/credential-already-in-use': 'auth/email-already-in-use/link',
  'auth/user-mismatch': 'auth/link/invalid-email-for-link',
  'auth/timeout': 'auth/network-request-failed',
  'auth/web-storage-unsupported': 'auth/provider-failed',
};

/** The provider responded, but without a valid user. */
const BAD_ANSWERS: readonly string[] = [
  'auth/invalid-credential',
  'auth/invalid-auth-event',
  'auth/missing-or-invalid-nonce',
  'auth/internal-error',
  'auth/operation-not-allowed',
  'auth/invalid-oauth-provider',
];

/**
 * Maps a provider failure to a catalog code (docs/product.md#error-codes).
 * @param provider the selected provider's id; Google has its own message
 */
export function federatedErrorCode(error: unknown, provider: string): AuthErrorCode {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  // The response timed out; it is reported, since operators may have moved the helper to another host.
  if (isTimeout(error)) return 'auth/provider-failed';
  if (BAD_ANSWERS.includes(code)) {
    return provider === 'google.com' ? 'auth/invalid-result-from-google' : 'auth/provider-failed';
  }
  return SAME[code] ?? toAuthErrorCode(error);
}

/** Whether to report it to operators: an unknown cause, or a timeout of the helper. */
export function shouldReport(code: AuthErrorCode, error: unknown): boolean {
  return code === 'unknown' || isTimeout(error);
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout!';
}
