import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const SECTIONS = 9;
const text = readFileSync('docs/specification.md', 'utf8');
const rows = text
  .split('\n')
  .filter((line) => /^\| (?!line|---)/.test(line))
  .map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
const modules = new Map(
  [...text.matchAll(/^\[([^\]]+)\]: (\S+)$/gm)].map(([, name = '', target = '']) => [name, target]),
);
const getModule = (cell: string) => /^\[([^\]]+)\]$/.exec(cell)?.[1];

test('the table goes through every section', () => {
  const sections = text.split(/^## /m).slice(1);
  expect(sections.map((section) => Number(/^(\d)\. /.exec(section)?.[1]))).toEqual(
    Array.from({ length: SECTIONS }, (_, i) => i + 1),
  );
  expect(sections.filter((section) => !section.includes('\n| '))).toEqual([]);
});

test('every line leads to one module, or says why it is not here', () => {
  const wrong = rows.filter(([line = '', where = '', ...more]) => {
    const isHeld = modules.has(getModule(where) ?? '') || /^not here: \w/.test(where);
    return line === '' || !isHeld || more.length > 0;
  });
  expect(wrong).toEqual([]);
});

test('every module exists, and a line leads to it', () => {
  const used = new Set(rows.map(([, where = '']) => getModule(where)));
  expect([...modules.keys()].filter((name) => !used.has(name))).toEqual([]);
  expect([...modules.values()].filter((target) => !existsSync(path.join('docs', target)))).toEqual([]);
});

test('every route and call it lists is there', () => {
  const listed = rows.flatMap(([line = '']) => /^`(?:[A-Z]+ )?(\/[^`]*)`/.exec(line)?.[1] ?? []);
  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as { paths: object };
  const isThere = (route: string) =>
    route in paths || [`${route}.tsx`, `${route}/index.tsx`].some((file) => existsSync(`pages${file}`));
  expect(listed.length).toBeGreaterThan(20);
  expect(listed.filter((route) => !isThere(route))).toEqual([]);
});
