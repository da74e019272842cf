/**
 * Why sign-in to the mobile app failed: its request has expired, the session has ended, or the state cannot be
 * determined.
 */
export const CHOICE_FAILURES = ['request', 'session', 'unavailable'] as const;
export type ChoiceFailure = (typeof CHOICE_FAILURES)[number];
