import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Matches a call with its name: a plain string, or a template with a distinct beginning. */
const CALL = /\bprocessWide(?:<[^(]*>)?\(\s*(?:'([^']+)'|`([^`]+)`)?/g;

const files = execFileSync('git', ['ls-files', '--', '*.ts', '*.tsx'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /^(?:lib|pages|components|instrumentation)/.test(file) && !/\.test\.tsx?$/.test(file));

const calls = files.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(CALL)]
    .map(([, plain, template]) => ({ file, name: plain ?? template }))
    .filter(() => file !== 'lib/server/runtime/process.ts'),
);

test('no two values of the process have one name: the second would be the first, of another type', () => {
  expect(calls.length).toBeGreaterThan(10);
  expect(calls.filter(({ name }) => name === undefined)).toEqual([]);
  const names = calls.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test('what a name is built from cannot make another one', () => {
  const names = calls.flatMap(({ name }) => name ?? []);
  const prefixes = names.filter((name) => name.includes('${')).map((name) => name.slice(0, name.indexOf('$')));
  expect(prefixes).not.toEqual([]);
  for (const prefix of prefixes) {
    expect(prefix).toMatch(/^[a-z-]+:$/);
    expect(names.filter((name) => name.startsWith(prefix))).toHaveLength(1);
  }
});
