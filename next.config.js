// The CSP of pages is set in pages/_document.tsx.
const { realpathSync } = require('node:fs');
const path = require('node:path');
const { everywhere, notTheHelper, dataOnly } = require('./lib/server/http/document/response-headers.json');

const distDir = process.env.NEXT_DIST_DIR || '.next';
const isDevelopment = process.env.NODE_ENV === 'development';

/** In development, no headers for its script manifests: one is served as JSON, which browsers block with `nosniff`. */
const PAGES = isDevelopment ? '/((?!api/|__/|_next/static/development/).*)' : '/((?!api/|__/).*)';

/** @type {import('next').NextConfig} */
module.exports = {
  reactStrictMode: true,
  // `npm test` checks the types of everything once; the build would check a part of it again.
  typescript: { ignoreBuildErrors: true },
  poweredByHeader: false,
  distDir,
  // Only the build knows it, so it is compiled into the server's code; empty in development, where style sheets change.
  env: { BUILD_FOLDER: isDevelopment ? '' : distDir },
  // A folder with only the files that the server needs (docs/deployment.md).
  output: 'standalone',
  // In development, node_modules may be a link, e.g. in a git worktree; Turbopack needs access to the link's target.
  outputFileTracingRoot: isDevelopment ? path.dirname(realpathSync(path.join(__dirname, 'node_modules'))) : __dirname,
  // Bundling Sentry takes a third of the time to the first page in `next dev`; a build bundles it for a faster start.
  // The databases load files of their own packages. The server's side of passkeys is 240 modules: with more than 5,000 in all, Turbopack
  // gives each an id of six digits in place of five, which makes every first load 300 bytes longer.
  serverExternalPackages: [
    ...(isDevelopment ? ['@sentry/nextjs'] : []),
    ...['@electric-sql/pglite', 'pg', '@simplewebauthn/server', 'oidc-provider'],
  ],
  // Read from disk with names computed at run time, which the build cannot trace.
  outputFileTracingIncludes: {
    '/*': [
      ...['./locales/**/*', './next-i18next.config.js', './migrations/**/*', './records-template.tar.gz'],
      // Renders emails (lib/server/notifications/email/email.tsx).
      './node_modules/react-dom/{package.json,server.node.js,cjs/react-dom-server*.node.production.js}',
    ],
  },
  // Resizes images, which no page has: a tenth of the folder, and native libraries to keep up to date.
  outputFileTracingExcludes: { 'next-server': ['node_modules/sharp/**/*', 'node_modules/@img/**/*'] },
  // Salts every file hash with the hint that scripts/lib/compile-hints.mjs prepends to scripts: a URL must never have
  // two contents, so a different hint must produce a different URL.
  outputHashSalt: '//# allFunctionsCalledOnLoad',
  // No page has images to be resized: without it `/_next/image` would be an endpoint that logs errors on request.
  images: { unoptimized: true },
  // API routes set theirs in code (lib/server/http/api-route.ts): every rule here would slow the session check.
  // A page's own policy replaces the one here. Trailing slash redirects have none: the framework sends them earlier.
  headers: async () => [
    { source: PAGES, headers: list({ ...everywhere, ...notTheHelper }) },
    { source: '/__/:path*', headers: list({ ...everywhere, ...dataOnly }) },
  ],
  experimental: {
    // The styles of a page are inlined in it (pages/_document.tsx), so those of other pages cost more than another file does. By
    // default there is one file for all pages. More files make the build manifest longer, which every page loads.
    cssChunking: { type: 'graph', requestCost: 15000, weightDistribution: 1 },
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
