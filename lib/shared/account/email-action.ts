/** Purposes of the links in emails (docs/product.md#states). */
export const ACTION_MODES = ['resetPassword', 'verifyEmail', 'signIn'] as const;
export type ActionMode = (typeof ACTION_MODES)[number];

/** An opened email link: its mode and its code. */
export type EmailAction = { [Mode in ActionMode]: { mode: Mode; code: string } }[ActionMode];

/** Links with an identity provider code; links that confirm an email address carry our own token. */
export type ProviderAction = Exclude<EmailAction, { mode: 'verifyEmail' }>;

/**
 * State of a confirmation link in this browser. `same-browser`: the email address was registered in this browser;
 * `new-password`: it was not, so the link only confirms together with a new password; `verified`: already confirmed.
 */
export type EmailVerification =
  | { state: 'same-browser' | 'new-password' | 'verified'; email: string }
  | { state: 'expired' | 'invalid'; email: null };

/** Maximum length of a link code, in characters: our own encrypted ones; the identity provider's are far shorter. */
export const LINK_CODE_MAX = 928;

/** @param value untrusted: the query value `mode` */
export function isActionMode(value: unknown): value is ActionMode {
  return ACTION_MODES.some((mode) => mode === value);
}
