/**
 * What the benches and `npm test` hold the product to. Bytes are gzip (level 6), times milliseconds, on a phone as in
 * lib/slow-phone.mjs; ratios are against the bare thing measured in the same run.
 */
export const BUDGETS = {
  page: {
    /** The first answer with its headers: ten segments of 1,460 bytes, which a server sends without waiting (RFC 6928). */
    firstAnswer: 14_600,
    /** JavaScript before the page can be used: typed in, sent, pressed. */
    usableJs: 150_000,
    /** JavaScript until the page is idle, with the identity provider's SDK and the form's schema. */
    idleJs: 185_000,
    css: 12_000,
    totalBlocking: 150,
    layoutShift: 0.02,
  },
  /** From pressing `Sign in` to the dashboard's first byte, against the same calls made bare. */
  handOver: 1.15,
  /** Rate of `POST /api/check-auth-status`, against that of an API route that does nothing. */
  sessionCheck: 0.8,
  lighthouse: { performance: 99, accessibility: 100, 'best-practices': 100 },
};
