import type { Ipv6Prefix } from '@/lib/server/runtime';

/**
 * `ipv6Prefix`: of client addresses, 64 by default. `proofAfter`: how many calls within `seconds` need no proof of work
 * (docs/adr/0040); those that are refused for want of one count here, and not among the `points`.
 */
type Limit = { points: number; seconds: number; ipv6Prefix?: Ipv6Prefix; proofAfter?: number };

/**
 * Every rate limit: at most `points` calls of one key within `seconds`. Keys are client addresses by default.
 *
 * Calls of a signed-in user, and those that a link of an email allows, are counted by `calls-of-session` and `calls-of-link`
 * (`bySession`, `byLink`). The limit by client address counts only calls that present neither: a neighbor must not use up
 * what an owner needs to sign out, to end sessions or to answer "This wasn't me".
 *
 * The routes that send an email (reset code, confirmation code, sign-in link, sign-in help) count against
 * `email-by-client` first. Then `consumeEmailBudgets` (lib/server/accounts/email-request.ts) selects `email-of-flow`, or
 * `email-to-address` and `email-to-address-overall`; "Resend code" counts against `resend` too.
 */
export const LIMITS = {
  /** A whole school signs in from one client address at the start of a lesson. */
  'create-session': { points: 600, seconds: 60 },
  /**
   * Calls of a known browser beyond those of its client network, or of its account there, keyed by the browser: a stranger there must not keep
   * its learner out.
   */
  'create-session-of-browser': { points: 10, seconds: 60 },
  /** All of these of one client network: each sign-in in an empty browser makes another known one, which can be collected. */
  'create-session-of-browsers': { points: 1_800, seconds: 60 },
  /**
   * A browser that cannot store its session retries repeatedly. Keyed by the account and the client network, and for known browsers beyond
   * that once more: who knows the password needs such browsers to keep the owner out, of which sign-ins without a second factor make some.
   * Over all networks an account has five emails about sign-ins an hour (`notifyOfSignIn`), and its writes take turns (`queueWrite`). A session
   * that replaces one after a change does not count: the change did.
   */
  'create-session-of-account': { points: 60, seconds: 60 },
  'renew-session': { points: 600, seconds: 60 },
  'end-session': { points: 600, seconds: 60 },
  /** Calls of one session in its own browser, keyed by the session. */
  'calls-of-session': { points: 120, seconds: 60 },
  /** Calls with one link of an email, keyed by the link. */
  'calls-of-link': { points: 20, seconds: 60 },
  /** Calls that undo something, without a genuine link of ours: they do no work. */
  'undo-by-link': { points: 600, seconds: 60 },
  'app-config': { points: 600, seconds: 60 },
  /** A provider sign-in makes about ten requests. */
  'auth-helper': { points: 1200, seconds: 60 },
  'auto-sign-in': { points: 600, seconds: 60 },
  /** A class opens its apps behind one client address; the codes themselves cannot be guessed. */
  'mobile-authorize': { points: 300, seconds: 60 },
  'mobile-token': { points: 300, seconds: 60 },
  /** Sign-ins by OpenID Connect: a whole school begins from one client address, with three requests each, and each keeps a row. */
  'oidc-authorize': { points: 1_800, seconds: 60 },
  /** Calls of userinfo, token and revocation without a code or token of ours: platforms have one, and an attacker has any number of others. */
  'oidc-unknown-token': { points: 120, seconds: 60 },
  /** Keyed by client and address: a learning platform is one, however many learners it signs in. */
  'oidc-token': { points: 6_000, seconds: 60 },
  /** All other calls of learning platforms. */
  oidc: { points: 12_000, seconds: 60 },
  /** Envelopes for the error service (docs/product.md#analytics-and-error-reporting). */
  monitoring: { points: 200, seconds: 60 },
  /** Each call reads the database. */
  'account-activity': { points: 300, seconds: 60 },
  courses: { points: 600, seconds: 60 },
  metrics: { points: 120, seconds: 60 },
  'csp-report': { points: 60, seconds: 60 },
  /** Unknown API routes. Only pages of an older deployment request them. */
  'unknown-route': { points: 120, seconds: 60 },
  /** Challenges of passkeys: each view of the sign-in page asks for one. */
  'passkey-options': { points: 1_200, seconds: 60 },
  /**
   * Challenges for a proof of work: each takes a key derivation. More than the calls that may ask for one: a stranger who asks for many must
   * not keep others from theirs, nor may a host its neighbors, whose proofs are of the same network.
   */
  'proof-challenge': { points: 1_200, seconds: 60 },
  /** Limits guesses of the admin token. */
  admin: { points: 30, seconds: 60 },
  /**
   * Emails of one kind to one mailbox: reset emails (`/api/password-reset`), confirmation emails (`/api/registration`,
   * `/api/email-confirmation`), sign-in links (`/api/email-link`) and sign-in help (`/api/sign-in-help`), for a browser
   * without an open token. Keyed by purpose, mailbox and requester: a client network or a known browser
   * (docs/adr/0006). `proofAfter` counts all purposes together.
   */
  'email-to-address': { points: 5, seconds: 3_600, proofAfter: 3 },
  /** The same over all client networks, and separately over all known browsers. */
  'email-to-address-overall': { points: 15, seconds: 3_600, proofAfter: 6 },
  /**
   * Reset and confirmation emails requested by a browser that holds an open token, mostly with "Resend code"
   * (`/api/password-reset/resend`, `/api/registration/resend`). Keyed by the token's flow.
   */
  'email-of-flow': { points: 4, seconds: 7_200 },
  /**
   * Registrations of one address that are carried out, and email its owner, whichever networks they come from; keyed by the address. The
   * newest of those beyond it waits, all others are dropped (lib/server/accounts/email-queue.ts).
   */
  'registration-of-address': { points: 2, seconds: 60 },
  /** All emails requested by one client, on any of these routes: a whole class registers from one client address. */
  'email-by-client': { points: 600, seconds: 3_600, ipv6Prefix: 48, proofAfter: 120 },
  /** Time between two emails requested with "Resend code", keyed by the flow of the browser's token. */
  resend: { points: 1, seconds: 30 },
  /** Codes and links redeemed by one client: registration, password reset and `/actions`. */
  'try-code': { points: 600, seconds: 3_600, proofAfter: 120 },
  /** Confirmation links opened by one client: the page asks the identity provider. A class opens its links behind one client address. */
  'open-link': { points: 600, seconds: 60 },
  /** Downloads of all data of one account, keyed by the account. */
  'download-data': { points: 10, seconds: 3_600 },
  /** Requests to delete or keep one account, keyed by the account: each can send an email. */
  'schedule-deletion': { points: 10, seconds: 3_600 },
  /** New names of one account, keyed by the account: each is a call of the identity provider. */
  'change-name': { points: 20, seconds: 3_600 },
  /** Passkeys begun by one account, keyed by the account. */
  'add-passkey': { points: 20, seconds: 3_600 },
  /** Steps of setting up a second factor, keyed by the account. */
  'second-factor': { points: 60, seconds: 3_600 },
  /** Sets of recovery codes, keyed by the account, whichever of its sign-ins asks: each costs as much as ten passwords. */
  'derive-recovery-codes': { points: 10, seconds: 600 },
  /**
   * Recovery codes that were typed, keyed by the account and the client network: a stranger who knows the password must
   * not use up what the owner may try.
   */
  'compare-recovery-code': { points: 20, seconds: 60 },
  /** Sign-ins that wait for a second factor, keyed as `create-session-of-account`. */
  'pending-sign-in': { points: 30, seconds: 60 },
  /** New passwords set by one account, keyed by the account. */
  'set-password': { points: 10, seconds: 3_600 },
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof LIMITS;

/**
 * What is watched at session creation and at emails, and refuses nothing by itself: after `slowAfter` within `seconds` a refusal is held for
 * a moment, after `proofAfter` a call needs a proof of work (docs/adr/0040).
 */
export const WATCHES = {
  /** Tokens and accounts that are refused, by client network: stale tabs of a school make a few. */
  'failed-sign-ins': { seconds: 600, slowAfter: 20, proofAfter: 60 },
  /** The same of all networks together, for those that have failed at all: an attack from thousands of networks fails little from each. */
  'failed-sign-ins-overall': { seconds: 600, slowAfter: 500, proofAfter: 2_000 },
  /** Accounts that sign in from one network in browsers they have not signed in with before: a school with shared computers has hundreds. */
  'accounts-of-network': { seconds: 600, slowAfter: 300, proofAfter: 600 },
  /**
   * Emails that all browsers together ask for: a flood over thousands of addresses and networks stays below what each of them may. Six a
   * second are three times what a million learners need at their peak (docs/load.md).
   */
  'emails-overall': { seconds: 10, slowAfter: 60, proofAfter: 60 },
} as const;

export type WatchName = keyof typeof WATCHES;

/** A limit, with what only some have. */
export const getLimit = (name: LimitName): Limit => LIMITS[name];
