/**
 * What a user has shown besides the first factor: a code of an authenticator app, a recovery code, or whatever the organization asks
 * for, whose sign-in counts as two factors. With `remembered-browser` none: this browser has shown one within 30 days.
 */
export const FACTORS = ['totp', 'recovery-code', 'organization', 'remembered-browser'] as const;
export type Factor = (typeof FACTORS)[number];
