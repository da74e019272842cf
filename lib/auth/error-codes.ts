/** Every failure a learner can meet, by stable code (specification, section 8). */
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
  // Ours, for causes the catalogue does not name.
  'auth/user-disabled',
  'auth/popup-blocked',
  'auth/popup-closed-by-user',
  'auth/provider-failed',
  'auth/invalid-email-for-sign-in-link',
  'auth/session-unavailable',
  'auth/cookies-off',
  'auth/password-does-not-meet-requirements',
  'unknown',
] as const;

export type AuthErrorCode = (typeof AUTH_ERROR_CODES)[number];

const known = new Set<string>(AUTH_ERROR_CODES);

export function isAuthErrorCode(value: unknown): value is AuthErrorCode {
  return typeof value === 'string' && known.has(value);
}

/** Codes that a wrong password, an unknown address and a disabled account share, so that none of them tells which. */
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
 * The catalogue code of anything thrown by the identity provider's SDK or by us.
 * @returns `unknown` for what the catalogue does not know; the caller reports it
 */
export function authErrorCodeOf(error: unknown): AuthErrorCode {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return isAuthErrorCode(code) ? code : 'unknown';
}

/** Key of the learner's text, with its namespace; dots and colons mean something to i18next, slashes do not. */
export function errorTextKey(code: AuthErrorCode): string {
  return `common:errors.${code}`;
}

/** Notification keys and their toasts (specification, section 4). */
export const NOTIFICATIONS = {
  AutoSignOut: 'info',
  AccountConfirmed: 'success',
  AutoLoginFailed: 'error',
  ForcedSignOut: 'info',
  InviteAccepted: 'success',
  InviteFailed: 'error',
  InviteExpired: 'error',
} as const;
export type NotificationKey = keyof typeof NOTIFICATIONS;

export function isNotificationKey(value: unknown): value is NotificationKey {
  return typeof value === 'string' && Object.hasOwn(NOTIFICATIONS, value);
}
