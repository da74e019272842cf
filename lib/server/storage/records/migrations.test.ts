import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

type Journal = { entries: { when: number; tag: string }[] };
const { entries } = JSON.parse(readFileSync('migrations/meta/_journal.json', 'utf8')) as Journal;

// drizzle-orm applies what is later than the last applied one: a branch merged late would be skipped silently.
test('every migration is later than the one before', () => {
  const times = entries.map(({ when }) => when);
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
});

test('every migration has a file, and every file is a migration', () => {
  expect(entries.filter(({ tag }) => !existsSync(`migrations/${tag}.sql`))).toEqual([]);
  expect(readdirSync('migrations').filter((name) => name.endsWith('.sql'))).toHaveLength(entries.length);
});
