/**
 * Budgets enforced by the benches and `npm test`. Bytes are gzip (level 6), times milliseconds, on a phone as in
 * lib/slow-phone.mjs; ratios are against a bare baseline measured in the same run.
 */
export const BUDGETS = {
  page: {
    /**
     * The first response with its headers: ten segments of 1,460 bytes, the initial TCP congestion window (RFC 6928).
     */
    firstAnswer: 14_600,
    /** JavaScript until the page is usable: typing, submitting, clicking. */
    usableJs: 170_000,
    /**
     * JavaScript until the page is idle, with the identity provider's SDK and the form's schema. Of /sign-in, 1,100 bytes keep what is typed
     * before hydration, read emails of other keyboards, and ask for passkeys of password managers.
     */
    idleJs: 189_500,
    css: 12_000,
    totalBlocking: 120,
    layoutShift: 0.02,
  },
  /** /security of a signed-in learner: all of it comes with the page. */
  account: {
    usableJs: 195_000,
    /** With the identity provider's SDK, which changes of the account need. */
    idleJs: 230_000,
    css: 12_000,
    totalBlocking: 150,
  },
  /** First paint of /sign-in, against that of another product's page, measured alternately. */
  peerPaint: 0.9,
  /** From selecting `Sign in` to the dashboard's first byte, against the same requests without the app. */
  handOver: 1.15,
  /** From the press to the dashboard's first byte with a passkey, against the password. */
  passkey: 1,
  /** Rate of `POST /api/check-auth-status`, against that of an API route that does nothing. */
  sessionCheck: 0.8,
  /**
   * The same by its own listener (docs/adr/0039), against a bare server that looks a session up, measured alternately at 50
   * connections: its rate, and the time that 99 of 100 do not exceed.
   */
  checkListener: { share: 0.5, p99: 2 },
  /** From an authorization request with a session to the code: milliseconds one by one, and codes a second of one process. */
  openId: { codeMs: 40, rate: 200 },
  /** Calls of a platform that notices within 60 s that a session was ended elsewhere, of its checks. */
  callsPerCheck: 0.1,
  /** /sign-in when a lesson begins: pages a second through nginx in front of a process, against the process; answers of its cache, in percent. */
  lessonStart: { times: 10, hits: 99 },
  /** Of the hardest proof of work, on a processor four times slower, in milliseconds. */
  proof: 2_000,
  lighthouse: { performance: 98, accessibility: 100, 'best-practices': 100 },
};
