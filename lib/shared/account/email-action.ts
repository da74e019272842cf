/** Purposes of the links in emails (docs/product.md#states). */
export const ACTION_MODES = [
  'resetPassword',
  'verifyEmail',
  'signIn',
  'keepAccount',
  'keepSecondFactor',
  'disavowSignIn',
  'changeEmail',
  'undoEmailChange',
] as const;
export type ActionMode = (typeof ACTION_MODES)[number];

/** The identity provider's code inside a sign-in link. Null if the link is not ours. */
type Inside = { providerCode: string | null };
/** A reset link before which a new password was chosen. */
type Over = { isOver?: true };
/** An opened email link: its mode and its code. */
export type EmailAction = {
  [Mode in ActionMode]: { mode: Mode; code: string } & (Mode extends 'signIn'
    ? Inside
    : Mode extends 'resetPassword'
      ? Over
      : unknown);
}[ActionMode];

/** Modes whose links carry our own token instead of a code of the identity provider. */
export type OwnMode =
  | 'verifyEmail'
  | 'keepAccount'
  | 'keepSecondFactor'
  | 'disavowSignIn'
  | 'changeEmail'
  | 'undoEmailChange';
export type ProviderAction = Exclude<EmailAction, { mode: OwnMode }>;

/**
 * State of a link that disavows a sign-in. `expired`: 10 days after the sign-in. `unavailable`: the database does not
 * answer. `invalid`: the link is not ours, or the account is deleted. `browser` and `system` are null if unknown.
 */
export type AnnouncedSignIn =
  | { state: 'open'; at: string; browser: string | null; system: string | null }
  | { state: 'done' | 'expired' | 'invalid' | 'unavailable' };

/**
 * State of a link that changes the email of an account, or undoes such a change. `open`: the change waits. `done`: the
 * account has the new email, and the former mailbox can restore its own. `email`: the one of the mailbox with the link.
 * `kind`: whether it is about the account's email or its recovery email.
 * `ended`: it was canceled, undone or replaced.
 * `unavailable`: the database does not answer. `invalid`: the link is not ours or is cut off.
 */
export type LinkedEmailChange =
  | { state: 'open' | 'done'; email: string; kind: 'main' | 'recovery' }
  | { state: 'expired' | 'ended' | 'invalid' | 'unavailable'; email: null };

/**
 * State of a link that cancels a scheduled deletion or reset of the second factor. `expired`: its time has come.
 * `canceled`: it was canceled. `unavailable`: the database does not answer. `invalid`: the link is not ours or is cut off.
 */
export type ScheduledChange =
  | { state: 'scheduled'; effectiveAt: string }
  | { state: 'expired' | 'canceled' | 'invalid' | 'unavailable'; effectiveAt: null };

/**
 * State of a confirmation link in this browser. `same-browser`: the email address was registered in this browser.
 * `new-password`: it was not, so the link only confirms together with a new password. `verified`: already confirmed.
 */
export type EmailVerification =
  | { state: 'same-browser' | 'new-password' | 'verified'; email: string }
  | { state: 'expired' | 'invalid'; email: null };

/** Maximum length of a link code, in characters. Our encrypted codes are much longer than the identity provider's. */
export const LINK_CODE_MAX = 928;

/** Whether a value names a mode. @param value untrusted, from the query parameter `mode` */
export function isActionMode(value: unknown): value is ActionMode {
  return ACTION_MODES.some((mode) => mode === value);
}
