/** Import directions of docs/architecture.md. */
const flows = 'components/(?!ui/|layout/)([^/]+)/';
/** Outside lib/server, and still nothing for browsers, which take types from there at most. */
const forTheServer = '(config/(env|reference)|(session|courses)/contract)\\.ts';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'lib-never-imports-components',
      severity: 'error',
      from: { path: '^lib/' },
      to: { path: '^(components|pages)/' },
    },
    {
      name: 'components-never-import-the-server',
      severity: 'error',
      from: { path: '^components/' },
      to: { path: '^(lib/server|pages)/' },
    },
    {
      name: 'browser-libraries-never-import-the-server',
      severity: 'error',
      from: { path: '^lib/(?!server/)' },
      to: { path: '^lib/server/' },
    },
    {
      name: 'server-uses-isomorphic-rooms-only',
      severity: 'error',
      from: { path: '^lib/server/', pathNot: '\\.test\\.ts$' },
      to: { path: '^lib/(analytics)/' },
    },
    {
      name: 'ui-knows-no-flow',
      severity: 'error',
      from: { path: '^components/ui/' },
      to: { path: '^components/(?!ui/)' },
    },
    { name: 'layout-knows-no-flow', severity: 'error', from: { path: '^components/layout/' }, to: { path: flows } },
    {
      name: 'no-flow-imports-another',
      severity: 'error',
      from: { path: `^${flows}` },
      to: { path: `^${flows}`, pathNot: '^components/$1/' },
    },
    {
      // The whole of zod is 40 KB more, and makes code at run time, which a page's policy forbids and reports.
      name: 'browsers-get-the-small-zod',
      severity: 'error',
      from: { path: '^(components|lib)/', pathNot: [`^lib/(server/|${forTheServer})`, '\\.test\\.tsx?$'] },
      to: { path: `(node_modules/zod/(?!mini/)|^lib/(${forTheServer}))`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'pages-stay-thin',
      severity: 'error',
      from: { path: '^pages/(?!api/)', pathNot: '^pages/_' },
      to: { path: '^components/ui/' },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(\\.next|node_modules/(?!zod/)|tests)' },
    tsPreCompilationDeps: true,
  },
};
