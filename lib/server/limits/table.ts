/** Every rate limit: at most `points` calls of one key within `seconds`. Keys are client addresses unless said otherwise. */
export const LIMITS = {
  /** A whole school signs in from one address at the start of a lesson. */
  'create-session': { points: 600, seconds: 60 },
  /** A browser that cannot keep its session tries again and again; keyed by the account. */
  'create-session-of-account': { points: 60, seconds: 60 },
  'end-session': { points: 600, seconds: 60 },
  'app-config': { points: 600, seconds: 60 },
  /** A sign-in with a provider asks some ten times. */
  'auth-helper': { points: 1200, seconds: 60 },
  /** A class signs in from one address; nobody reads out the directory at this pace. */
  'enterprise-lookup': { points: 120, seconds: 60 },
  'auto-sign-in': { points: 600, seconds: 60 },
  /** A class opens its apps behind one address; codes themselves are beyond guessing. */
  'mobile-authorize': { points: 300, seconds: 60 },
  'mobile-token': { points: 300, seconds: 60 },
  /** Envelopes for the error service (product decisions, 7). */
  monitoring: { points: 200, seconds: 60 },
  courses: { points: 600, seconds: 60 },
  metrics: { points: 120, seconds: 60 },
  'csp-report': { points: 60, seconds: 60 },
  /** Guessing the admin token. */
  admin: { points: 30, seconds: 60 },
  /** Codes and links mailed to one address, keyed by the address (docs/adr/0006). */
  'mail-to-address': { points: 5, seconds: 3_600 },
  /** Codes and links asked for by one client: a whole class registers from one address. */
  'mail-by-client': { points: 600, seconds: 3_600 },
  /** Time between two mails that one person asks for by "Resend code", keyed by the address. */
  resend: { points: 1, seconds: 30 },
  'try-code': { points: 600, seconds: 3_600 },
  /** New passwords set by one account, keyed by the account. */
  'set-password': { points: 10, seconds: 3_600 },
} as const satisfies Record<string, { points: number; seconds: number }>;

export type LimitName = keyof typeof LIMITS;
