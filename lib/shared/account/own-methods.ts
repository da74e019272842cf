// Sign-in methods that our server verifies itself: the identity provider knows only the custom token that follows
// (docs/adr/0012, docs/adr/0030). Events and sessions name them like those of the provider.

/** An emailed link or code. */
export const EMAIL_METHOD = 'email';
export const PASSKEY_METHOD = 'passkey';

export const OWN_METHODS = [EMAIL_METHOD, PASSKEY_METHOD] as const;
export type OwnMethod = (typeof OWN_METHODS)[number];
