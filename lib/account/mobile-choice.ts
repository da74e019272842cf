/** Why the mobile app was not let in: its request is gone, the session is over, or nobody can tell. */
export const CHOICE_FAILURES = ['request', 'session', 'unavailable'] as const;
export type ChoiceFailure = (typeof CHOICE_FAILURES)[number];
