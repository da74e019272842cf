import next from 'eslint-config-next/core-web-vitals';
import tseslint from 'typescript-eslint';

const reactRules = next.flatMap(({ rules = {} }) => Object.keys(rules)).filter((name) => name.startsWith('react'));

export default tseslint.config(
  {
    ignores: [
      '**/.next/**',
      '.next-*/**',
      '.demo/**',
      '.dev/**',
      '.test-run/**',
      'node_modules/**',
      'next-env.d.ts',
      'test-results/**',
    ],
  },
  ...next,
  ...tseslint.configs.recommendedTypeChecked.map((config) => ({ ...config, files: ['**/*.ts', '**/*.tsx'] })),
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
    },
  },
  {
    files: ['cli/**', 'lib/**', 'components/**', 'pages/**', 'middleware.ts'],
    ignores: ['lib/server/runtime/config/env.ts', '**/*.test.ts', '**/*.test.tsx'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Read configuration through lib/server/runtime/config/env.' },
      ],
    },
  },
  {
    // A plain site, not a Next.js app.
    files: ['examples/**'],
    rules: { '@next/next/no-location-assign-relative-destination': 'off' },
  },
  {
    // No React here, and its rules take a fifth of the lint time. They also mistake Playwright's fixtures for hooks.
    files: [
      ...['lib/{server,shared}/**/*.ts', 'pages/api/**', '{lib,components,pages}/**/*.test.ts'],
      ...['{bench,deploy,examples,scripts,tests}/**/*.{ts,js,mjs}'],
    ],
    rules: Object.fromEntries(reactRules.map((name) => [name, 'off'])),
  },
);
