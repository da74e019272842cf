// Headers of answers are in lib/server/default-headers.ts, policies of pages in pages/_document.tsx.
const distDir = process.env.NEXT_DIST_DIR || '.next';

/** @type {import('next').NextConfig} */
module.exports = {
  reactStrictMode: true,
  poweredByHeader: false,
  distDir,
  // Written into the server's code by the build, which alone knows it; while developing, style sheets change.
  env: { BUILD_FOLDER: process.env.NODE_ENV === 'development' ? '' : distDir },
  // A folder with all that the server needs, and nothing else (docs/deployment.md).
  output: 'standalone',
  outputFileTracingRoot: __dirname,
  // Read from disk by a name made at run time, which the build cannot see.
  outputFileTracingIncludes: { '/*': ['./locales/**/*', './config/**/*', './next-i18next.config.js'] },
  // What browsers do without (docs/adr/0019): of next-i18next they need react-i18next's hook alone.
  turbopack: {
    resolveAlias: {
      'next-i18next/pages': { browser: 'react-i18next' },
      i18next: { browser: './lib/first-load/without-i18next.ts' },
      'react-dom/client': { browser: './lib/first-load/hydrate-in-slices.ts' },
      'next/dist/compiled/path-to-regexp': { browser: './lib/first-load/without-patterns.ts' },
    },
  },
  experimental: {
    // What is made anew while running stays in memory, so that the folder can be read-only.
    isrFlushToDisk: false,
    // There is no app folder whose routes the browser's router would have to know apart.
    clientRouterFilter: false,
  },
};
