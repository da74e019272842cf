import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/lib/paths.mjs';

const read = (file: string) => readFileSync(path.join(root, 'docs', file), 'utf8');
/** Cells of all rows of a document's tables, without headers. */
const rowsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => /^\| (?!requirement|threat|sign-in method|---)/.test(line))
    .map((line) => line.slice(1, -1).split('|').map((cell) => cell.trim())); // prettier-ignore
const testsIn = (cell: string) => [...cell.matchAll(/`([\w./-]+\.(?:test\.tsx?|spec\.ts|mjs))`/g)].flatMap(([, file = '']) => file); // prettier-ignore
const pathsIn = (cell: string) => [...cell.matchAll(/`((?:components|lib|pages|scripts|deploy)\/[\w./[\]-]+)`/g)].flatMap(([, file = '']) => file); // prettier-ignore
const isThere = (file: string) =>
  existsSync(path.join(root, /^(?:lib|components|scripts)\//.test(file) ? file : `tests/${file}`));

/** Levels 1 and 2 of the chapters, as sections with the number of their last requirement of these levels. */
const CHAPTERS: Record<string, string[]> = {
  V3: ['3.2.1-2', '3.3.1-4', '3.4.1-6', '3.5.1-5', '3.7.1-2'],
  V6: ['6.1.1-3', '6.2.1-12', '6.3.1-4', '6.4.1-4', '6.5.1-5', '6.6.1-3', '6.8.1-4'],
  V7: ['7.1.1-3', '7.2.1-4', '7.3.1-2', '7.4.1-5', '7.5.1-2', '7.6.1-2'],
  V9: ['9.1.1-3', '9.2.1-4'],
  V10: ['10.1.1-2', '10.2.1-2', '10.3.1-4', '10.4.1-11', '10.5.1-5', '10.6.1-2', '10.7.1-3'],
};
const REQUIREMENTS = Object.values(CHAPTERS).flat().flatMap((section) => {
  const [, stem = '', last] = /^(\d+\.\d+)\.1-(\d+)$/.exec(section) ?? [];
  return Array.from({ length: Number(last) }, (_, i) => `${stem}.${String(i + 1)}`);
}); // prettier-ignore

describe('the threat model', () => {
  it.each(rowsOf(read('security.md')))('%s', (_threat, _holds, tests) => {
    expect(testsIn(tests ?? '')).not.toEqual([]);
    expect(testsIn(tests ?? '').filter((file) => !isThere(file))).toEqual([]);
  });
});

describe('the ASVS table', () => {
  const rows = rowsOf(read('asvs.md'));

  it('has every requirement of its chapters once, in order', () => {
    expect(rows.map(([requirement = '']) => requirement.split(' ')[0])).toEqual(REQUIREMENTS);
  });

  it.each(rows)('%s', (_requirement, holds, where, tests) => {
    expect(['yes', 'partly', 'no', 'n/a']).toContain(holds);
    expect(pathsIn(where ?? '').filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
    if (holds === 'no' || holds === 'n/a') expect(where, 'the reason').not.toBe('');
    if (holds === 'yes' || holds === 'partly') expect(testsIn(tests ?? '')).not.toEqual([]);
    expect(testsIn(tests ?? '').filter((file) => !isThere(file))).toEqual([]);
  });
});
