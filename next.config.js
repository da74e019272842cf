// pages/_document.tsx sets the CSP of pages.
const { realpathSync } = require('node:fs');
const path = require('node:path');
const { everywhere, notTheHelper, dataOnly } = require('./lib/server/http/document/response-headers.json');

const distDir = process.env.NEXT_DIST_DIR || '.next';
const isDevelopment = process.env.NODE_ENV === 'development';

/**
 * In development, script manifests get no headers. One of them is served as JSON, which browsers block with `nosniff`.
 */
const PAGES = isDevelopment ? '/((?!api/|__/|_next/static/development/).*)' : '/((?!api/|__/).*)';

/** @type {import('next').NextConfig} */
module.exports = {
  reactStrictMode: true,
  // `npm test` checks all types once. The build would check a part of them again.
  typescript: { ignoreBuildErrors: true },
  poweredByHeader: false,
  distDir,
  // Only the build knows this folder, so it is compiled into the server's code. It is empty in development, where style
  // sheets change.
  env: { BUILD_FOLDER: isDevelopment ? '' : distDir },
  // A folder with only the files that the server needs (docs/deploy/README.md).
  output: 'standalone',
  // In development, node_modules may be a link, such as in a git worktree. Turbopack needs access to the link's target.
  outputFileTracingRoot: isDevelopment ? path.dirname(realpathSync(path.join(__dirname, 'node_modules'))) : __dirname,
  // In `next dev`, bundling Sentry takes a third of the time to the first page. A build bundles it for a faster start.
  // The databases load files of their own packages. The server's passkey library has 240 modules. With more than 5,000
  // modules in all, Turbopack's ids grow from five to six digits, which makes every first load 300 bytes longer.
  serverExternalPackages: [
    ...(isDevelopment ? ['@sentry/nextjs'] : []),
    ...['@electric-sql/pglite', 'pg', '@simplewebauthn/server', 'oidc-provider'],
  ],
  // The server reads these files by names computed at run time, which the build cannot trace.
  outputFileTracingIncludes: {
    '/*': [
      ...['./locales/**/*', './next-i18next.config.js', './migrations/**/*', './records-template.tar.gz'],
      // Renders emails (lib/server/notifications/email/email.tsx).
      './node_modules/react-dom/{package.json,server.node.js,cjs/react-dom-server*.node.production.js}',
    ],
  },
  // This library resizes images, which no page needs. It is a tenth of the folder and contains native libraries to keep
  // up to date.
  outputFileTracingExcludes: { 'next-server': ['node_modules/sharp/**/*', 'node_modules/@img/**/*'] },
  // Salts every file hash with the hint that scripts/lib/compile-hints.mjs prepends to scripts. A URL must never have
  // two contents, so a different hint must produce a different URL.
  outputHashSalt: '//# allFunctionsCalledOnLoad',
  // No page has images to resize. Without this setting, `/_next/image` would be an endpoint that logs errors on
  // request.
  images: { unoptimized: true },
  // API routes set their headers in code (lib/server/http/api-route.ts), because every rule here would slow the session
  // check. A page's own policy replaces the policy here. Trailing slash redirects have no headers, because the
  // framework sends them earlier.
  headers: async () => [
    { source: PAGES, headers: list({ ...everywhere, ...notTheHelper }) },
    { source: '/__/:path*', headers: list({ ...everywhere, ...dataOnly }) },
  ],
  experimental: {
    // A page's styles are inlined in it (pages/_document.tsx), so the styles of other pages cost more than another
    // file. The default is one file for all pages. A file adds some 10 bytes to the build manifest, which every page
    // loads. With 15000, the first response of /registration was 500 bytes too large in Arabic.
    cssChunking: { type: 'graph', requestCost: 6000, weightDistribution: 1 },
    // Regenerated pages stay in memory, so that the folder can be read-only.
    isrFlushToDisk: false,
    // There is no app directory whose routes the client router would have to distinguish.
    clientRouterFilter: false,
  },
};

/** @param {Record<string, string>} headers */
function list(headers) {
  return Object.entries(headers).map(([key, value]) => ({ key, value }));
}
