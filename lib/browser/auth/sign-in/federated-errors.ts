import { isOrganization } from '@/lib/shared/sign-in-methods';
import { toAuthErrorCode, type AuthErrorCode } from './error-codes';

/** Maps SDK codes to ours. */
const SAME: Partial<Record<string, AuthErrorCode>> = {
  'auth/cancelled-popup-request': 'auth/popup-closed-by-user',
  'auth/user-cancelled': 'auth/popup-closed-by-user',
  'auth/redirect-cancelled-by-user': 'auth/popup-closed-by-user',
  'auth/credential-already-in-use': 'auth/email-already-in-use/link',
  'auth/user-mismatch': 'auth/link/invalid-email-for-link',
  // The provider has proved who the user is. Unlike a password sign-in, this does not have to hide the account.
  'auth/user-disabled': 'auth/account-disabled',
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
  const code = getCode(error);
  // The response timed out. It is reported, because operators may have moved the helper to another host.
  if (isTimeout(error)) return 'auth/provider-failed';
  if (isOrganization(provider) && isRefusal(error)) return 'auth/invalid-enterprise-domain';
  if (BAD_ANSWERS.includes(code)) {
    return provider === 'google.com' ? 'auth/invalid-result-from-google' : 'auth/provider-failed';
  }
  return SAME[code] ?? toAuthErrorCode(error);
}

/** Causes that operators must fix at the identity provider. */
const MISCONFIGURED: readonly string[] = [
  'auth/internal-error',
  'auth/operation-not-allowed',
  'auth/invalid-oauth-provider',
];

/**
 * Whether to report a failure to operators: an unknown cause, a timeout of the helper, or a misconfigured provider.
 * @param code the catalog code of the error
 */
export function shouldReport(code: AuthErrorCode, error: unknown, provider: string): boolean {
  if (code === 'unknown' || isTimeout(error)) return true;
  if (isRefusal(error) || isScriptBlocked(error)) return false;
  const cause = getCode(error);
  // For an organization's provider, the cause is its certificate or the client secret. For a social provider, it can
  // also be a manipulated sign-in.
  return MISCONFIGURED.includes(cause) || (cause === 'auth/invalid-credential' && isOrganization(provider));
}

function getCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/**
 * Whether our blocking function has refused the sign-in (deploy/blocking-functions). The SDK drops the server's code,
 * `BLOCKING_FUNCTION_ERROR_RESPONSE`, and keeps the function's response only in its message. A failed function has
 * another status.
 */
function isRefusal(error: unknown): boolean {
  return getCode(error) === 'auth/internal-error' && error instanceof Error && /PERMISSION_DENIED/.test(error.message);
}

/**
 * Whether the SDK's own script did not load, for example because of a content blocker. Its error contains the browser's
 * event.
 */
function isScriptBlocked(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'customData' in error && error.customData instanceof Event;
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout!';
}
