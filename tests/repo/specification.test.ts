import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const SECTIONS = 9;
const text = readFileSync('docs/specification.md', 'utf8');
const rows = text.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| ---') && !line.startsWith('| line')); // prettier-ignore
const cellsOf = (row: string) => row.slice(1, -1).split(/(?<!\\)\|/).map((cell) => cell.trim()); // prettier-ignore
const filesIn = (words: string) =>
  [...words.matchAll(/`([\w./[\]-]+\.\w+)`/g)].flatMap(([, file = '']) => (file.includes('/') || /\.(?:ts|js)$/.test(file) ? [file] : [])); // prettier-ignore

test('the coverage table covers every section', () => {
  expect([...text.matchAll(/^## (\d)\. /gm)].map(([, number]) => Number(number))).toEqual(Array.from({ length: SECTIONS }, (_, i) => i + 1)); // prettier-ignore
});

test('every file it lists exists', () => {
  expect(rows.flatMap((row) => filesIn(row)).filter((file) => !existsSync(file))).toEqual([]);
});

test('every row names code and tests, or the reason why there are none', () => {
  const untested = rows.filter((row) => {
    const [, lives = '', held = ''] = cellsOf(row);
    const isExplained = lives.startsWith('not here:') && held === 'explained';
    return !isExplained && (filesIn(held).length === 0 || filesIn(lives).length === 0);
  });
  expect(untested).toEqual([
    expect.stringContaining('server-side behavior not shown'),
    expect.stringContaining('revalidation 1800 s'),
  ]);
});
