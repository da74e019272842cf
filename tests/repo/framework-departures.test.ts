import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const app = ['cli', 'components', 'lib', 'pages', ':(glob)*.js', ':(glob)*.ts', ':!*.test.ts', ':!*.test.tsx'];

/** Uses of the framework that differ from its documentation, if a text search (extended regex) can find them. */
const DEPARTURES = [
  { what: "the page's data", text: '__NEXT_DATA__', files: ['*.ts', '*.tsx', '*.mjs', '*.js', ':!tests/repo'] },
  {
    what: 'its internal modules and files',
    text: 'next/dist',
    files: ['*.ts', '*.tsx', '*.mjs', '*.js', ':!tests/repo'],
  },
  {
    what: 'its signal listeners and its server program',
    text: String.raw`(listeners|Listeners)\('SIG|framework-server`,
    files: ['*.ts', '*.mjs', ':!tests/repo', ':!*.test.ts'],
  },
  { what: 'modules that it refuses in a bundle', text: String.raw`createRequire\(`, files: app },
  // The framework replaces `process.env.NAME` during the build, but leaves the object.
  { what: 'the environment as a whole', text: String.raw`process\.env([^.\w]|$)`, files: app },
];

test.each(DEPARTURES)('ADR 19 lists every file that uses $what', ({ text, files: where }) => {
  const args = ['grep', '-lE', text, '--', ...where];
  const files = execFileSync('git', args, { encoding: 'utf8' }).trim().split('\n');
  expect(files.length).toBeGreaterThan(0);
  const [, table = ''] = readFileSync('docs/adr/0019-what-the-first-load-excludes.md', 'utf8').split('## Departures');
  expect(files.filter((file) => !table.includes(`\`${file}\``))).toEqual([]);
});
