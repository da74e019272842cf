import type { Ipv6Prefix } from '@/lib/server/runtime';

/**
 * `ipv6Prefix`: prefix of client addresses, 64 by default. `proofAfter`: how many calls within `seconds` need no proof
 * of work (docs/adr/0040). Calls that are refused without a proof count here, and not among the `points`.
 */
type Limit = { points: number; seconds: number; ipv6Prefix?: Ipv6Prefix; proofAfter?: number };

/**
 * All rate limits: at most `points` calls of a key within `seconds`. By default, the key is a client address.
 *
 * Calls with a genuine session or a genuine emailed link count by `calls-of-session` and `calls-of-link` (`bySession`,
 * `byLink`). The limit by client address counts only the other calls. So a neighbor cannot use up the calls that an
 * owner needs to sign out, end sessions or answer "This wasn't me".
 *
 * Routes that send an email (reset code, confirmation code, sign-in link, sign-in help) count against `email-by-client`
 * first. Then `consumeEmailBudgets` (lib/server/accounts/email-request.ts) selects `email-of-flow`, or
 * `email-to-address` and `email-to-address-overall`. "Resend code" also counts against `resend`.
 */
export const LIMITS = {
  /** A whole school signs in from the same client address at the start of a lesson. */
  'create-session': { points: 600, seconds: 60 },
  /**
   * Calls of a known browser beyond the limit of its client network or account, keyed by the browser. Another client in
   * its network must not lock its learner out.
   */
  'create-session-of-browser': { points: 10, seconds: 60 },
  /**
   * All of these calls of a client network. Each sign-in in an empty browser creates another known browser, so an
   * attacker can collect them.
   */
  'create-session-of-browsers': { points: 1_800, seconds: 60 },
  /**
   * Session creations keyed by the account and the client network, because a browser that cannot store its session
   * retries repeatedly. Known browsers may make the same number of calls beyond it. To lock the owner out, an attacker
   * with the password would need known browsers, which some sign-ins without a second factor create.
   *
   * Over all networks, an account gets five emails about sign-ins an hour (`notifyOfSignIn`), and its writes run one at
   * a time (`queueWrite`). A session that replaces a session after a change does not count, because the change did.
   */
  'create-session-of-account': { points: 60, seconds: 60 },
  'renew-session': { points: 600, seconds: 60 },
  'end-session': { points: 600, seconds: 60 },
  /** Calls of a session in its own browser, keyed by the session. */
  'calls-of-session': { points: 120, seconds: 60 },
  /** Calls with an emailed link, keyed by the link. */
  'calls-of-link': { points: 20, seconds: 60 },
  /** Calls that undo something without a genuine link. They do no work. */
  'undo-by-link': { points: 600, seconds: 60 },
  'app-config': { points: 600, seconds: 60 },
  /** A provider sign-in makes about ten requests. */
  'auth-helper': { points: 1200, seconds: 60 },
  'auto-sign-in': { points: 600, seconds: 60 },
  /** A class opens its apps behind the same client address. The codes themselves cannot be guessed. */
  'mobile-authorize': { points: 300, seconds: 60 },
  'mobile-token': { points: 300, seconds: 60 },
  /**
   * OpenID Connect sign-ins. A whole school begins from the same client address, each sign-in makes three requests, and
   * each stores a row.
   */
  'oidc-authorize': { points: 1_800, seconds: 60 },
  /**
   * Calls of userinfo, token and revocation without a genuine code or token. Platforms present a genuine token, and an
   * attacker has any number of others.
   */
  'oidc-unknown-token': { points: 120, seconds: 60 },
  /** Keyed by client and address, because a learning platform has a single address for all its learners. */
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
  /** Challenges of passkeys. Each view of the sign-in page requests a challenge. */
  'passkey-options': { points: 1_200, seconds: 60 },
  /**
   * Challenges for a proof of work, each of which takes a key derivation. The limit is above the number of calls that
   * may require a proof. So a client with many requests cannot block others, nor a host its neighbors in the network.
   */
  'proof-challenge': { points: 1_200, seconds: 60 },
  /** Limits guesses of the admin token. Calls with the token of an operator continue beyond it (`hasOperatorToken`). */
  admin: { points: 30, seconds: 60 },
  /** Keyed by the account. The user of a stolen session must not email many addresses. */
  'change-email': { points: 5, seconds: 86_400 },
  /** Keyed by the operator. A person answers fewer requests. A stolen token must not read out all addresses. */
  'support-look-up': { points: 60, seconds: 3_600 },
  /** Keyed by the operator. A stolen token must not change many accounts before someone notices. */
  'support-action': { points: 30, seconds: 3_600 },
  /**
   * Emails of a kind to a mailbox: reset emails (`/api/password-reset`), confirmation emails (`/api/registration`,
   * `/api/email-confirmation`), sign-in links (`/api/email-link`) and sign-in help (`/api/sign-in-help`). They count
   * here if the browser has no open token. Keyed by purpose, mailbox and requester: a client network or a known browser
   * (docs/adr/0006). `proofAfter` counts all purposes together.
   */
  'email-to-address': { points: 5, seconds: 3_600, proofAfter: 3 },
  /** Emails of a kind to a mailbox, over all client networks, and separately over all known browsers. */
  'email-to-address-overall': { points: 15, seconds: 3_600, proofAfter: 6 },
  /**
   * Reset and confirmation emails for a browser with an open token, mostly by "Resend code"
   * (`/api/password-reset/resend`, `/api/registration/resend`). Keyed by the token's flow.
   */
  'email-of-flow': { points: 4, seconds: 7_200 },
  /** All emails requested by a client, on any of these routes. A whole class registers from the same client address. */
  'email-by-client': { points: 600, seconds: 3_600, ipv6Prefix: 48, proofAfter: 120 },
  /** Time between two uses of "Resend code", keyed by the flow of the browser's token. */
  resend: { points: 1, seconds: 30 },
  /** Codes and links redeemed by a client: registration, password reset and `/actions`. */
  'try-code': { points: 600, seconds: 3_600, proofAfter: 120 },
  /**
   * Confirmation links opened by a client, because the page calls the identity provider. A class opens its links behind
   * the same client address.
   */
  'open-link': { points: 600, seconds: 60 },
  /** Downloads of an account's data, keyed by the account. */
  'download-data': { points: 10, seconds: 3_600 },
  /** Requests to delete or keep an account, keyed by the account, because each can send an email. */
  'schedule-deletion': { points: 10, seconds: 3_600 },
  /** Name changes of an account, keyed by the account, because each calls the identity provider. */
  'change-name': { points: 20, seconds: 3_600 },
  /** Passkeys that an account begins to add, keyed by the account. */
  'add-passkey': { points: 20, seconds: 3_600 },
  /** Steps of setting up a second factor, keyed by the account. */
  'second-factor': { points: 60, seconds: 3_600 },
  /** Sets of recovery codes, keyed by the account, over all its sign-ins. Each set costs as much as ten passwords. */
  'derive-recovery-codes': { points: 10, seconds: 600 },
  /**
   * Tried recovery codes, keyed by the account and the client network. An attacker who knows the password must not use
   * up the owner's tries.
   */
  'compare-recovery-code': { points: 20, seconds: 60 },
  /** Sign-ins that wait for a second factor, keyed by the account and the client network. */
  'pending-sign-in': { points: 30, seconds: 60 },
  /**
   * Emails of a kind that others can trigger, while the database is unavailable. Otherwise, the database counts them
   * (`MAX_IN_AN_HOUR`). Keyed by the account and the kind.
   */
  'unwritten-email': { points: 5, seconds: 3_600 },
  /** New passwords of an account, keyed by the account. */
  'set-password': { points: 10, seconds: 3_600 },
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof LIMITS;

/**
 * Watches of session creation and emails. They refuse nothing themselves. After `slowAfter` events within `seconds`, a
 * refusal is delayed. After `proofAfter`, a call needs a proof of work (docs/adr/0040).
 */
export const WATCHES = {
  /** Refused tokens and accounts by client network. Stale tabs of a school cause a few. */
  'failed-sign-ins': { seconds: 600, slowAfter: 20, proofAfter: 60 },
  /** Failures of all networks together. In an attack from thousands of networks, each network fails only a few times. */
  'failed-sign-ins-overall': { seconds: 600, slowAfter: 500, proofAfter: 2_000 },
  /** Accounts that sign in from a network in new browsers. A school with shared computers has hundreds. */
  'accounts-of-network': { seconds: 600, slowAfter: 300, proofAfter: 600 },
  /**
   * Emails that all browsers request together. A flood over thousands of addresses and networks stays below each of
   * their limits. Six per second are three times the peak of a million learners (docs/load.md).
   */
  'emails-overall': { seconds: 10, slowAfter: 60, proofAfter: 60 },
} as const;

export type WatchName = keyof typeof WATCHES;

/** Returns a limit with its optional properties. */
export const getLimit = (name: LimitName): Limit => LIMITS[name];
