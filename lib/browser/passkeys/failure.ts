import type { CallFailure } from '../api-client';

/** Reasons why a ceremony did not succeed, each with its own text in `passkeys:failures`. */
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
 * `cancelled`: the user closed the browser's dialog, or has no passkey for it: browsers do not tell which. No error. `none-here`: the
 * same when only passkeys of this device were asked for.
 */
export type PasskeyFailure = (typeof PASSKEY_FAILURES)[number];

/** The failure of one of our calls. */
export function toPasskeyFailure({ code }: CallFailure): PasskeyFailure {
  // Turned on since the page was loaded.
  if (code === 'second-factor-required') return 'recent-login-required';
  return PASSKEY_FAILURES.find((failure) => failure === code) ?? 'unknown';
}

/** What an authenticator's dialog may take, in milliseconds: the lifetime of a challenge, less the way of its response. */
const DIALOG_TIMEOUT_MS = 290_000;

/**
 * The failure of a browser's dialog (WebAuthn Level 3, sections 5.1.3 and 5.1.4).
 * @param elapsedMs since it was opened
 */
export function toDialogFailure(error: unknown, elapsedMs: number): PasskeyFailure {
  // By its name alone: the error of a password manager can be of another frame, and so of another class.
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
