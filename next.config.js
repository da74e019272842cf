const { i18n } = require('./next-i18next.config');

const securityHeaders = [
  { key: 'X-Content-Type-Options', value: 'nosniff' },
  { key: 'Referrer-Policy', value: 'strict-origin-when-cross-origin' },
];
const noFrames = [{ key: 'X-Frame-Options', value: 'DENY' }];

/** @type {import('next').NextConfig} */
module.exports = {
  i18n,
  reactStrictMode: true,
  poweredByHeader: false,
  distDir: process.env.NEXT_DIST_DIR || '.next',
  // The locale files are read from disk when a page is rendered.
  outputFileTracingIncludes: { '/*': ['./locales/**/*', './config/**/*'] },
  // Error and replay traffic keeps the address of the specification.
  rewrites: async () => [
    { source: '/monitoring', destination: '/api/monitoring' },
    // The identity provider's sign-in helper, on our own host (docs/adr/0010).
    { source: '/__/:room(auth|firebase)/:path*', destination: '/api/auth-helper/:room/:path*' },
  ],
  headers: async () => [
    { source: '/:path*', headers: securityHeaders },
    // The helper lives in a frame of the sign-in page, and says itself who may frame it.
    { source: '/((?!__/).*)', headers: noFrames },
  ],
};
