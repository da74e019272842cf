import type { CallFailure } from '@/lib/browser/api-client';
import { reportError } from '@/lib/shared/error-reporting/report';

/** The stable code of every failure that a learner can see (docs/product.md#error-codes). */
export const AUTH_ERROR_CODES = [
  'auth/email-already-in-use',
  'auth/account-exists-with-different-credential',
  'auth/wrong-password',
  'auth/user-not-found',
  'auth/email-already-in-use/link',
  'auth/link/invalid-email-for-link',
  'auth/invalid-action-code',
  'auth/email-not-verified',
  'auth/too-many-requests',
  'auth/invalid-login-credentials',
  'auth/network-request-failed',
  'auth/invalid-credential',
  'auth/requires-recent-login',
  'auth/invalid-result-from-google',
  'auth/invalid-sso-method',
  'auth/invalid-enterprise-sign-in-email',
  'auth/invalid-enterprise-domain',
  'auth/no-email-found-with-provider',
  'EXPIRED_OOB_CODE',
  'INVALID_OOB_CODE',
  // These codes are not in the specification's catalog.
  'auth/user-disabled',
  'auth/account-disabled',
  'auth/popup-blocked',
  'auth/popup-closed-by-user',
  'auth/provider-failed',
  'auth/invalid-email-for-sign-in-link',
  'auth/provider-not-allowed',
  'auth/session-unavailable',
  'auth/cookies-off',
  'auth/password-does-not-meet-requirements',
  'unknown',
] as const;

export type AuthErrorCode = (typeof AUTH_ERROR_CODES)[number];

export function isAuthErrorCode(value: unknown): value is AuthErrorCode {
  return AUTH_ERROR_CODES.includes(value as AuthErrorCode);
}

/**
 * Codes that share a message. A wrong password, an unknown email address and a disabled account must look the same, to
 * prevent account enumeration.
 */
const CREDENTIAL_FAILURES: readonly AuthErrorCode[] = [
  'auth/wrong-password',
  'auth/user-not-found',
  'auth/user-disabled',
  'auth/invalid-credential',
  'auth/invalid-login-credentials',
];

export function isCredentialFailure(code: AuthErrorCode): boolean {
  return CREDENTIAL_FAILURES.includes(code);
}

/**
 * Maps any error thrown by the identity provider's SDK or by this app to a catalog code.
 * @returns `unknown` for a code that is not in the catalog. The caller reports it.
 */
export function toAuthErrorCode(error: unknown): AuthErrorCode {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return isAuthErrorCode(code) ? code : 'unknown';
}

/** Returns the key of the learner's message, with its namespace. A dot or colon in a code would split the key. */
export function errorTextKey<Code extends AuthErrorCode>(code: Code): `common:errors.${Code}` {
  return `common:errors.${code}`;
}

/**
 * Why a sign-in failed. `retryAfter`: seconds until the next attempt, if the server sent them. `provider`: the name of the
 * sign-in provider, if there was one.
 */
export type SignInFailure = { code: AuthErrorCode; retryAfter: number | null; provider?: string };

/** Maps a failed call of our API to the learner's message. It reports a code without a message (docs/product.md#error-codes). */
export function toSignInFailure(result: CallFailure): SignInFailure {
  const { code, status, retryAfter } = result;
  const known = CODES[code];
  if (known === undefined) reportError(new Error('A sign-in failed with a code that has no text'), { code, status });
  return { code: known ?? 'unknown', retryAfter };
}

/** Codes of our API that have a message at sign-in. */
const CODES: Partial<Record<string, AuthErrorCode>> = {
  network: 'auth/network-request-failed',
  'provider-unavailable': 'auth/session-unavailable',
  'records-unavailable': 'auth/session-unavailable',
  'too-many-requests': 'auth/too-many-requests',
  'user-disabled': 'auth/user-disabled',
  'email-missing': 'auth/no-email-found-with-provider',
  'email-not-verified': 'auth/email-not-verified',
  'invalid-enterprise-domain': 'auth/invalid-enterprise-domain',
  'recent-login-required': 'auth/requires-recent-login',
  'provider-not-allowed': 'auth/provider-not-allowed',
};
