import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

type Package = { dependencies: Record<string, string>; devDependencies: Record<string, string> };
const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Package;
const text = readFileSync('docs/dependencies.md', 'utf8');
const named = new Set(text.match(/@?[\w-]+(?:[./][\w-]+)*/g));

test('docs/dependencies.md says of every dependency what it is for', () => {
  const row = (name: string) => text.split('\n').some((line) => line.startsWith('| ') && line.split('|')[1]?.split(',').some((each) => each.trim() === name)); // prettier-ignore
  expect(Object.keys(dependencies).filter((name) => !row(name))).toEqual([]);
});

test('and names every tool of development', () => {
  const tools = Object.keys(devDependencies).filter((name) => !name.startsWith('@types/'));
  expect(tools.filter((name) => !named.has(name))).toEqual([]);
});

test('versions are exact, and the lock file names no place to download from', () => {
  expect(Object.values({ ...dependencies, ...devDependencies }).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]); // prettier-ignore
  expect(readFileSync('package-lock.json', 'utf8')).not.toContain('"resolved"');
});
