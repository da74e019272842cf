/**
 * Budgets that the benches and `npm test` enforce. Bytes are gzip (level 6) and times are milliseconds, on a phone as
 * in lib/slow-phone.mjs. Ratios compare with a bare baseline measured in the same run.
 */
export const BUDGETS = {
  page: {
    /**
     * The first response with its headers. It fits in ten segments of 1,460 bytes, the initial TCP congestion window
     * (RFC 6928).
     */
    firstAnswer: 14_600,
    /** JavaScript until the page is usable: typing, submitting, clicking. */
    usableJs: 170_000,
    /** JavaScript until the page is idle, with the identity provider's SDK and the form's schema. */
    idleJs: 189_600,
    /**
     * The same for /sign-in, whose form verifies a password without the SDK (docs/adr/0053). 100 bytes load that code
     * while the page is idle.
     */
    signInIdleJs: 157_600,
    css: 12_000,
    totalBlocking: 120,
    layoutShift: 0.02,
  },
  /**
   * /security of a signed-in learner, whose JavaScript all loads with the page. 700 bytes show whose account it is and
   * its next step, and make the page half as long on a phone, because its rows begin closed.
   */
  account: {
    /** 700 more bytes are in shared files that /sign-in no longer loads with the SDK. 300 are the account menu. */
    usableJs: 196_900,
    /**
     * Includes the identity provider's SDK, which changes of the account need. The 1,400 bytes above are part of it. 200
     * bytes sign out a user of the SDK who outlives the session (docs/adr/0053). 400 are the account menu.
     */
    idleJs: 230_800,
    css: 12_000,
    totalBlocking: 150,
  },
  /** First paint of /sign-in, relative to another product's page, measured alternately. */
  peerPaint: 0.9,
  /** Time from selecting `Sign in` to the dashboard's first byte, relative to the same requests without the app. */
  handOver: 1.15,
  /** Time to the dashboard's first byte with a passkey, relative to the password. */
  passkey: 1,
  /** Rate of `POST /api/check-auth-status`, relative to an API route that does no work. */
  sessionCheck: 0.8,
  /**
   * Session checks by their own listener (docs/adr/0039), relative to a bare server that looks up a session. Both are
   * measured alternately with 50 connections: their rate, and the 99th percentile of their times.
   */
  checkListener: { share: 0.5, p99: 2 },
  /**
   * Time from an authorization request with a session to the code, in milliseconds, and codes per second of a process.
   */
  openId: { codeMs: 40, rate: 200 },
  /** Share of a platform's checks that become calls, if it notices within 60 s that a session was ended elsewhere. */
  callsPerCheck: 0.1,
  /**
   * /sign-in when a lesson begins: pages per second through nginx, relative to the process alone; cache hits, in
   * percent.
   */
  lessonStart: { times: 10, hits: 99 },
  /** Time for the hardest proof of work on a processor that is four times slower, in milliseconds. */
  proof: 2_000,
  lighthouse: { performance: 98, accessibility: 100, 'best-practices': 100 },
};
