import { is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readMigrations } from './migrations';
import * as schema from './schema';

type Journal = { entries: { when: number; tag: string }[] };
const { entries } = JSON.parse(readFileSync('migrations/meta/_journal.json', 'utf8')) as Journal;

// Only migrations later than the last applied migration are pending. A migration on a branch that is merged late would
// be skipped silently.
test('every migration is later than the one before', () => {
  const times = entries.map(({ when }) => when);
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
});

test('every migration has a file, and every file is a migration', () => {
  expect(entries.filter(({ tag }) => !existsSync(`migrations/${tag}.sql`))).toEqual([]);
  expect(readdirSync('migrations').filter((name) => name.endsWith('.sql'))).toHaveLength(entries.length);
});

// Otherwise a table in use would be locked for as long as the index takes. The constant is the last migration before
// this rule.
test('an index of a table that exists is built while the table is in use, in a migration that does nothing else', () => {
  const later = readMigrations().filter(({ name }) => name > '0018_proved_emails');
  const problems = later.flatMap(({ name, statements, isConcurrent }) => {
    const made = statements.flatMap((text) => /create table "(\w+)"/i.exec(text)?.[1] ?? []);
    const locking = statements.filter((text) => {
      const [, table = ''] = /create (?:unique )?index (?!concurrently).* on "(\w+)"/i.exec(text) ?? [];
      return table !== '' && !made.includes(table);
    });
    const isMixed = isConcurrent && !statements.every((text) => /create (?:unique )?index concurrently/i.test(text));
    return locking.length > 0 || isMixed ? [name] : [];
  });
  expect(problems).toEqual([]);
});

// Otherwise the database reads a whole table for each deleted row, and a large table exceeds the statement timeout.
test('what is deleted with a row is found by an index', () => {
  const tables = Object.values<unknown>(schema).filter((value): value is PgTable => is(value, PgTable));
  const slow = tables.flatMap((table) => {
    const { name, columns, foreignKeys, indexes, primaryKeys, uniqueConstraints } = getTableConfig(table);
    const whole = indexes.filter(({ config }) => config.where === undefined).map(({ config }) => config.columns[0]);
    const first = [...primaryKeys, ...uniqueConstraints].map((key) => key.columns[0]);
    const own = columns.filter(({ primary, isUnique }) => primary || isUnique);
    const found = [...whole, ...first, ...own].map((column) => (column as { name?: string } | undefined)?.name);
    const references = foreignKeys.map((key) => key.reference().columns[0]?.name);
    return references.filter((column) => !found.includes(column)).map((column) => `${name}.${String(column)}`);
  });
  expect(slow).toEqual([]);
});
