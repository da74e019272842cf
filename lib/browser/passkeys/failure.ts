import type { CallFailure } from '../api-client';

/** Reasons why a ceremony failed, each with its own text in `passkeys:failures`. */
export const PASSKEY_FAILURES = [
  'cancelled',
  'timed-out',
  'none-here',
  'unsupported',
  'passkey-exists',
  'passkey-limit',
  'passkey-unknown',
  'passkey-refused',
  'passkey-suspect',
  'passkey-challenge-expired',
  'sso-required',
  'provider-not-allowed',
  'last-method',
  'other-account',
  'email-not-verified',
  'legacy-reset-required',
  'user-disabled',
  'recent-login-required',
  'second-factor-required',
  'records-unavailable',
  'provider-unavailable',
  'too-many-requests',
  'cookies-off',
  'network',
  'unknown',
] as const;

/**
 * `cancelled`: the user closed the browser's dialog or has no passkey for it. Browsers do not report which, so it is no
 * error. `none-here`: the same result, if the dialog was limited to passkeys of this device.
 */
export type PasskeyFailure = (typeof PASSKEY_FAILURES)[number];

/** Maps a failed call of our API to a reason. */
export function toPasskeyFailure({ code }: CallFailure): PasskeyFailure {
  // The second factor was turned on after the page was loaded.
  if (code === 'second-factor-required') return 'recent-login-required';
  return PASSKEY_FAILURES.find((failure) => failure === code) ?? 'unknown';
}

/** Timeout of an authenticator's dialog, in milliseconds: the lifetime of a challenge, minus time for the response. */
const DIALOG_TIMEOUT_MS = 290_000;

/**
 * Maps the failure of a browser's dialog to a reason (WebAuthn Level 3, sections 5.1.3 and 5.1.4).
 * @param elapsedMs milliseconds since the dialog was opened
 */
export function toDialogFailure(error: unknown, elapsedMs: number): PasskeyFailure {
  // Compare only the name. A password manager's error can come from another frame, so its class differs.
  switch ((Object(error) as { name?: unknown }).name) {
    case 'InvalidStateError':
      return 'passkey-exists';
    case 'SecurityError':
    case 'NotSupportedError':
    case 'ConstraintError':
      return 'unsupported';
    case 'NotAllowedError':
      return elapsedMs >= DIALOG_TIMEOUT_MS ? 'timed-out' : 'cancelled';
    case 'AbortError':
      return 'cancelled';
    default:
      return 'unknown';
  }
}
