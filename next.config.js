const { i18n } = require('./next-i18next.config');

// Addresses and policies of single pages are in pages/_document.tsx; these hold for every answer.
const securityHeaders = [
  { key: 'X-Content-Type-Options', value: 'nosniff' },
  { key: 'Referrer-Policy', value: 'strict-origin-when-cross-origin' },
  // Browsers heed it on https alone.
  { key: 'Strict-Transport-Security', value: 'max-age=63072000; includeSubDomains' },
  {
    key: 'Permissions-Policy',
    value: 'camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()',
  },
  { key: 'Reporting-Endpoints', value: 'csp="/api/csp-report"' },
];
const notForTheHelper = [
  // The helper itself leaves for the provider and comes back, and must keep its opener.
  { key: 'Cross-Origin-Opener-Policy', value: 'same-origin-allow-popups' },
  { key: 'X-Frame-Options', value: 'DENY' },
  // A page's own policy takes its place; this one stays on pages made ahead of time, which carry theirs.
  { key: 'Content-Security-Policy', value: "base-uri 'none'; object-src 'none'; frame-ancestors 'none'" },
];
const dataOnly = [{ key: 'Content-Security-Policy', value: "default-src 'none'; frame-ancestors 'none'" }];

/** @type {import('next').NextConfig} */
module.exports = {
  i18n,
  reactStrictMode: true,
  poweredByHeader: false,
  distDir: process.env.NEXT_DIST_DIR || '.next',
  // A folder with all that the server needs, and nothing else (docs/deployment.md).
  output: 'standalone',
  outputFileTracingRoot: __dirname,
  // Read from disk by a name made at run time, which the build cannot see.
  outputFileTracingIncludes: { '/*': ['./locales/**/*', './config/**/*', './next-i18next.config.js'] },
  // What is made anew while running stays in memory, so that the folder can be read-only.
  experimental: { isrFlushToDisk: false },
  // Error and replay traffic keeps the address of the specification.
  rewrites: async () => [
    { source: '/monitoring', destination: '/api/monitoring' },
    // The identity provider's sign-in helper, on our own host (docs/adr/0010).
    { source: '/__/:room(auth|firebase)/:path*', destination: '/api/auth-helper/:room/:path*' },
  ],
  headers: async () => [
    { source: '/:path*', headers: securityHeaders },
    // The helper lives in a frame of the sign-in page, and says itself who may frame it.
    { source: '/((?!__/).*)', headers: notForTheHelper },
    { source: '/api/((?!auth-helper).*)', headers: dataOnly },
  ],
};
