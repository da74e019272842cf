/** Import directions from docs/architecture.md. */
const flows = 'components/(?!ui/|layout/|session/|account-forms/|providers/)([^/]+)/';
/** Response schemas, parsed on the server; browser code imports only their types. */
const contracts = 'lib/shared/(session-contract|courses/contract)\\.ts';

/** The modules of the server (docs/architecture.md): each imports only those before it, so that no two import each other. */
const modules = [
  ...['runtime', 'storage', 'policy', 'http', 'codes', 'notifications', 'identity'],
  ...['session', 'passkeys', 'second-factor', 'accounts', 'support', 'oidc', 'web', 'launch'],
];
/** Tests may look behind a door; data has no code behind it. */
const behindDoors = { path: '^lib/server/[^/]+/(?!index\\.ts$)', pathNot: ['\\.json$'] };

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'shared-imports-shared',
      severity: 'error',
      from: { path: '^lib/shared/', pathNot: '\\.test\\.tsx?$' },
      to: { path: '^(lib/(browser|server)|components|pages)/' },
    },
    {
      name: 'browser-and-server-never-meet',
      severity: 'error',
      from: { path: '^lib/(browser|server)/', pathNot: '\\.test\\.tsx?$' },
      to: { path: '^(lib/(browser|server)|components|pages)/', pathNot: '^lib/$1/' },
    },
    {
      name: 'components-never-import-the-server',
      severity: 'error',
      from: { path: '^components/', pathNot: '\\.test\\.tsx?$' },
      to: { path: '^(lib/server|pages)/' },
    },
    // Each folder of components imports only the ones before it: ui, layout, session or account-forms, a flow. So no
    // folders form a cycle, which `no-cycles` would miss, since it follows files.
    {
      name: 'ui-knows-no-product',
      severity: 'error',
      from: { path: '^components/ui/' },
      to: { path: '^components/(?!ui/)' },
    },
    {
      name: 'layout-knows-only-ui',
      severity: 'error',
      from: { path: '^components/layout/' },
      to: { path: '^components/(?!(ui|layout)/)' },
    },
    {
      name: 'shared-components-know-no-flow',
      severity: 'error',
      from: { path: '^components/(session|account-forms)/' },
      to: { path: '^components/(?!ui/|layout/)', pathNot: '^components/$1/' },
    },
    {
      name: 'no-flow-imports-another',
      severity: 'error',
      from: { path: `^${flows}` },
      to: { path: `^${flows}`, pathNot: '^components/$1/' },
    },
    {
      // Full zod adds 40 KB and generates code at run time, which a page's CSP blocks and reports.
      name: 'browsers-get-the-small-zod',
      severity: 'error',
      from: {
        path: '^(components|lib/(browser|shared))/',
        pathNot: ['\\.test\\.tsx?$', `^${contracts}`],
      },
      to: { path: `(node_modules/zod/(?!mini/)|^${contracts})`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'modules-have-one-door',
      severity: 'error',
      from: { path: '^lib/server/([^/]+)/', pathNot: '\\.test\\.ts$' },
      to: { ...behindDoors, pathNot: [...behindDoors.pathNot, '^lib/server/$1/'] },
    },
    {
      name: 'pages-and-commands-use-doors',
      severity: 'error',
      from: { path: '^(?!lib/server/)', pathNot: '\\.test\\.tsx?$' },
      to: behindDoors,
    },
    {
      name: 'nothing-lies-beside-the-modules',
      severity: 'error',
      from: {},
      to: { path: `^lib/server/(?!(${modules.join('|')})/)` },
    },
    ...modules.slice(0, -1).map((module, at) => ({
      name: `${module}-knows-none-above-it`,
      severity: 'error',
      from: { path: `^lib/server/${module}/`, pathNot: '\\.test\\.ts$' },
      to: { path: `^lib/server/(${modules.slice(at + 1).join('|')})/` },
    })),
    {
      // The gate decides who gets a session, and records it (docs/adr/0027, tests/repo/session-cookies.test.ts).
      name: 'sessions-are-opened-at-one-gate',
      severity: 'error',
      from: { path: '.', pathNot: ['\\.test\\.tsx?$', '^lib/server/session/firebase\\.ts$'] },
      to: { path: '^lib/server/session/open-session\\.ts$' },
    },
    {
      // It is loaded with the first request of a client: no page needs it.
      name: 'the-openid-library-has-one-user',
      severity: 'error',
      from: { path: '.', pathNot: ['\\.test\\.tsx?$', '^lib/server/oidc/'] },
      to: { path: 'node_modules/oidc-provider' },
    },
    {
      // Development tools are on no list of what is deployed: neither an audit nor the bill of an archive names them.
      name: 'what-is-deployed-imports-no-development-tool',
      severity: 'error',
      from: { path: '^(cli|lib|pages|components|middleware|instrumentation|sentry)', pathNot: '\\.test\\.tsx?$' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
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
    exclude: { path: '^(\\.next|tests)' },
    tsPreCompilationDeps: true,
  },
};
