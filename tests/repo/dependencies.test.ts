import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

type Package = { dependencies: Record<string, string>; devDependencies: Record<string, string> };
const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Package;
const text = readFileSync('docs/dependencies.md', 'utf8');
const named = new Set(text.match(/@?[\w-]+(?:[./][\w-]+)*/g));

test('docs/dependencies.md has a row for every dependency', () => {
  const row = (name: string) =>
    text.split('\n').some(
      (line) =>
        line.startsWith('| ') &&
        line
          .split('|')[1]
          ?.split(',')
          .some((each) => each.trim() === name),
    );
  expect(Object.keys(dependencies).filter((name) => !row(name))).toEqual([]);
});

test('docs/dependencies.md lists every development tool', () => {
  const tools = Object.keys(devDependencies).filter((name) => !name.startsWith('@types/'));
  expect(tools.filter((name) => !named.has(name))).toEqual([]);
});

test('versions are exact, and the lock file contains no download address', () => {
  expect(
    Object.values({ ...dependencies, ...devDependencies }).filter((version) => !/^\d+\.\d+\.\d+$/.test(version)),
  ).toEqual([]);
  expect(readFileSync('package-lock.json', 'utf8')).not.toContain('"resolved"');
});

test('every package in the lock file has an integrity hash', () => {
  type Entry = { integrity?: string; link?: boolean };
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Entry> };
  const installed = Object.entries(packages).filter(([place, { link }]) => place !== '' && link !== true);
  expect(installed.length).toBeGreaterThan(1_000);
  expect(installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([place]) => place)).toEqual(
    [],
  );
});
