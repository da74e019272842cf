import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Page data and modules that the framework does not document. */
const UNDOCUMENTED = String.raw`__NEXT_DATA__|from 'next/dist`;

test('ADR 19 lists every file that uses undocumented parts of the framework', () => {
  const args = ['grep', '-lE', UNDOCUMENTED, '--', '*.ts', '*.tsx', '*.mjs', '*.js', ':!tests/repo'];
  const files = execFileSync('git', args, { encoding: 'utf8' }).trim().split('\n');
  expect(files.length).toBeGreaterThan(0);
  const listed = readFileSync('docs/adr/0019-what-the-first-load-excludes.md', 'utf8');
  expect(files.filter((file) => !listed.includes(`\`${file}\``))).toEqual([]);
});
