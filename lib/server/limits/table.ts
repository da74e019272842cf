/** Every rate limit: at most `points` calls of one key within `seconds`. Keys are client addresses unless said otherwise. */
export const LIMITS = {
  /** A whole school signs in from one address at the start of a lesson. */
  'create-session': { points: 600, seconds: 60 },
  'end-session': { points: 600, seconds: 60 },
  'app-config': { points: 600, seconds: 60 },
  /** A sign-in with a provider asks some ten times. */
  'auth-helper': { points: 1200, seconds: 60 },
  /** Envelopes for the error service (product decisions, 7). */
  monitoring: { points: 200, seconds: 60 },
  /** Guessing the admin token. */
  admin: { points: 30, seconds: 60 },
} as const satisfies Record<string, { points: number; seconds: number }>;

export type LimitName = keyof typeof LIMITS;
