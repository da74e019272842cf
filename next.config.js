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
  reactStrictMode: true,
  poweredByHeader: false,
  distDir: process.env.NEXT_DIST_DIR || '.next',
  // A folder with all that the server needs, and nothing else (docs/deployment.md).
  output: 'standalone',
  outputFileTracingRoot: __dirname,
  // Read from disk by a name made at run time, which the build cannot see.
  outputFileTracingIncludes: { '/*': ['./locales/**/*', './config/**/*', './next-i18next.config.js'] },
  // What browsers do without (docs/adr/0016): of next-i18next they need react-i18next's hook alone.
  turbopack: {
    resolveAlias: {
      'next-i18next/pages': { browser: 'react-i18next' },
      i18next: { browser: './lib/first-load/without-i18next.ts' },
      'next/dist/compiled/path-to-regexp': { browser: './lib/first-load/without-patterns.ts' },
    },
  },
  experimental: {
    // What is made anew while running stays in memory, so that the folder can be read-only.
    isrFlushToDisk: false,
    // There is no app folder whose routes the browser's router would have to know apart.
    clientRouterFilter: false,
  },
  headers: async () => [
    { source: '/:path*', headers: securityHeaders },
    // The helper lives in a frame of the sign-in page, and says itself who may frame it.
    { source: '/((?!__/).*)', headers: notForTheHelper },
    { source: '/api/((?!auth-helper).*)', headers: dataOnly },
  ],
};
