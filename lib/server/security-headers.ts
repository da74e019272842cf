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

// Made once: every answer needs one of them.
const ofHelper = Object.entries({ ...everywhere, ...dataOnly });
const ofData = Object.entries({ ...everywhere, ...notTheHelper, ...dataOnly });
const ofPage = Object.entries({ ...everywhere, ...notTheHelper });

/**
 * What any answer says at least: what answers a request may say more strictly.
 * @param address of the request, without its origin
 */
export function headersFor(address: string): readonly (readonly [name: string, value: string])[] {
  if (address.startsWith('/__/')) return ofHelper;
  return address.startsWith('/api/') ? ofData : ofPage;
}
