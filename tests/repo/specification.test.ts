import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const SECTIONS = 9;
const text = readFileSync('docs/specification.md', 'utf8');
/** The lines of each module, or of a reason why they are not here. */
const groups = [...text.matchAll(/^- (\[[^\]]+\]|not here, [^:]+): (.+)$/gm)].map(([, where = '', lines = '']) => ({
  where,
  lines: lines.split(' · '),
}));
const modules = new Map(
  [...text.matchAll(/^\[([^\]]+)\]: (\S+)$/gm)].map(([, name = '', target = '']) => [name, target]),
);
const getModule = (cell: string) => /^\[([^\]]+)\]$/.exec(cell)?.[1];

test('the table goes through every section', () => {
  const sections = text.split(/^## /m).slice(1);
  expect(sections.map((section) => Number(/^(\d)\. /.exec(section)?.[1]))).toEqual(
    Array.from({ length: SECTIONS }, (_, i) => i + 1),
  );
  expect(sections.filter((section) => !section.includes('\n- '))).toEqual([]);
});

test('every line leads to one module, or says why it is not here', () => {
  const items = text.split('\n').filter((line) => line.startsWith('- '));
  expect(items).toHaveLength(groups.length);
  const wrong = groups.filter(
    ({ where, lines }) => lines.includes('') || !(modules.has(getModule(where) ?? '') || /^not here, \w/.test(where)),
  );
  expect(wrong).toEqual([]);
  expect(groups.flatMap(({ lines }) => lines).length).toBeGreaterThan(140);
});

test('every module exists, and a line leads to it', () => {
  const used = new Set(groups.map(({ where }) => getModule(where)));
  expect([...modules.keys()].filter((name) => !used.has(name))).toEqual([]);
  expect([...modules.values()].filter((target) => !existsSync(path.join('docs', target)))).toEqual([]);
});

test('every route and call it lists is there', () => {
  const listed = groups
    .flatMap(({ lines }) => lines)
    .flatMap((line) => /^`(?:[A-Z]+ )?(\/[^`]*)`/.exec(line)?.[1] ?? []);
  const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as { paths: object };
  const isThere = (route: string) =>
    route in paths || [`${route}.tsx`, `${route}/index.tsx`].some((file) => existsSync(`pages${file}`));
  expect(listed.length).toBeGreaterThan(20);
  expect(listed.filter((route) => !isThere(route))).toEqual([]);
});
