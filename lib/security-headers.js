// Plain JavaScript: the framework's configuration reads it before anything is built.

/** What every answer says. */
const everywhere = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  // Browsers heed it on https alone.
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()',
  'Reporting-Endpoints': 'csp="/api/csp-report"',
};
const policy = "base-uri 'none'; object-src 'none'; frame-ancestors 'none'";

/** All but the sign-in helper, which leaves for the provider and comes back, must keep its opener, and lives in a frame. */
const notTheHelper = {
  'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
  'X-Frame-Options': 'DENY',
  // A page's own policy takes its place; this one stays on pages made ahead of time, which carry theirs.
  'Content-Security-Policy': policy,
};

/** What is data and nothing else; the helper's own answers replace it. */
const dataOnly = { 'Content-Security-Policy': `default-src 'none'; ${policy}` };

/** @param {string} address of a request, without its origin @returns {Record<string, string>} what any answer to it says at least */
const atLeast = (address) => ({ ...everywhere, ...(address.startsWith('/__/') ? dataOnly : notTheHelper) });

module.exports = { everywhere, notTheHelper, dataOnly, atLeast };
