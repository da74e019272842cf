const { i18n } = require('./next-i18next.config');

const securityHeaders = [
  { key: 'X-Content-Type-Options', value: 'nosniff' },
  { key: 'Referrer-Policy', value: 'strict-origin-when-cross-origin' },
  { key: 'X-Frame-Options', value: 'DENY' },
];

/** @type {import('next').NextConfig} */
module.exports = {
  i18n,
  reactStrictMode: true,
  poweredByHeader: false,
  distDir: process.env.NEXT_DIST_DIR || '.next',
  // The locale files are read from disk when a page is rendered.
  outputFileTracingIncludes: { '/*': ['./locales/**/*', './config/**/*'] },
  // Error and replay traffic keeps the address of the specification.
  rewrites: async () => [{ source: '/monitoring', destination: '/api/monitoring' }],
  headers: async () => [{ source: '/:path*', headers: securityHeaders }],
};
