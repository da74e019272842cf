// Sign-in methods that our server verifies itself: the identity provider knows only the custom token that follows
// (docs/adr/0012, docs/adr/0030). Events and sessions name them like those of the provider.

/** An emailed link or code. */
export const EMAIL_METHOD = 'email';
export const PASSKEY_METHOD = 'passkey';

export const OWN_METHODS = [EMAIL_METHOD, PASSKEY_METHOD] as const;
export type OwnMethod = (typeof OWN_METHODS)[number];

/**
 * A passkey whose user verification does not count yet: one factor (docs/adr/0030). A method of its own in tokens, so that whatever hands a
 * sign-in on without knowing of it hands on one factor.
 */
export const UNVERIFIED_PASSKEY_METHOD = 'passkey-unverified';

/** As tokens name them. */
export const TOKEN_METHODS = [...OWN_METHODS, UNVERIFIED_PASSKEY_METHOD] as const;
export type TokenMethod = (typeof TOKEN_METHODS)[number];

/** As events, sessions and texts name them. */
export function toOwnMethod(method: TokenMethod | null): OwnMethod | null {
  return method === UNVERIFIED_PASSKEY_METHOD ? PASSKEY_METHOD : method;
}
