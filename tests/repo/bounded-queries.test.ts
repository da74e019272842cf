// Threats: flooding
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { expect, test } from 'vitest';
import * as schema from '@/lib/server/storage/records/schema';
import * as oidcSchema from '@/lib/server/storage/records/schema';
import * as secondFactorSchema from '@/lib/server/storage/records/schema';

/** The comment before a query gives the reason why it reads few rows. */
const MARKER = /\/\/ Bounded: \S+/;
const AGGREGATE = /\.select\(\{ \w+: (?:count|min|max)\(/;

/** Columns whose values are in one row at most, such as `accounts.uid`. */
const uniqueColumns = Object.entries<unknown>({ ...schema, ...secondFactorSchema, ...oidcSchema }).flatMap(
  ([name, table]) => {
    if (!is(table, PgTable)) return [];
    const names = new Map(Object.entries(table).map(([key, column]) => [(column as { name?: string }).name, key]));
    return getTableConfig(table)
      .columns.filter(({ primary, isUnique }) => primary || isUnique)
      .map((column) => `${name}.${names.get(column.name) ?? ''}`);
  },
);

/** Returns the statement from its query to the end of the surrounding brackets. */
function readStatement(text: string, from: number): string {
  let depth = 0;
  for (let index = from; index < text.length; index += 1) {
    const character = text.charAt(index);
    if ('([{'.includes(character)) depth += 1;
    if (')]}'.includes(character)) depth -= 1;
    if (depth < 0 || (depth === 0 && ';,'.includes(character))) return text.slice(from, index);
  }
  return text.slice(from);
}

/** Returns the source text of the condition, even if the condition is a named constant. */
function readCondition(text: string, from: number, statement: string): string {
  const [, condition = ''] = /\.where\(([\s\S]*)\)/.exec(statement) ?? [];
  const [, name] = /^(\w+)\)?/.exec(condition) ?? [];
  const before = text.slice(0, from);
  const at = name === undefined ? -1 : before.lastIndexOf(`const ${name} = `);
  return at < 0 ? condition : `${condition} ${before.slice(at, before.indexOf(';', at))}`;
}

/** Returns whether an equality with a unique column must hold, and is not one side of an `or`. */
const isByUniqueColumn = (condition: string) =>
  !/\bor\(/.test(condition) && uniqueColumns.some((column) => condition.includes(`eq(${column},`));

/** Lists lines of queries that may read any number of rows. */
function findUnbounded(text: string): number[] {
  return [...text.matchAll(/\.select\(/g)].flatMap(({ index }) => {
    const statement = readStatement(text, index);
    const lines = text.slice(0, index).split('\n');
    // A query without `await` is a part of another query and reads nothing itself.
    const isPart = /const \w+ = (?:\(?tx)\s*$/.test(text.slice(0, index));
    const comment = lines.slice(-4).join('\n');
    const isBounded =
      isPart ||
      statement.includes('.limit(') ||
      AGGREGATE.test(statement) ||
      statement.includes('from(sql`(select 1) as one`)') ||
      isByUniqueColumn(readCondition(text, index, statement)) ||
      MARKER.test(comment);
    return isBounded ? [] : [lines.length];
  });
}

test('the unique columns are those of the schema', () => {
  expect(uniqueColumns).toEqual(
    expect.arrayContaining(['accounts.uid', 'deletions.uid', 'sessions.id', 'passkeys.credentialId']),
  );
  expect(uniqueColumns).not.toContain('sessions.uid');
});

test.each([
  ['no limit', `const rows = await tx.select().from(sessions).where(eq(sessions.uid, uid));`, 1],
  ['no condition', `const rows = await tx.select().from(sessions);`, 1],
  ['a unique column in one of two cases', `await tx.select().from(a).where(or(eq(sessions.id, id), eq(a.b, 1)));`, 1],
  ['a limit', `await tx.select().from(sessions).limit(5);`, 0],
  ['a unique column', `await tx.select().from(sessions).where(eq(sessions.id, id));`, 0],
  ['a named condition', `const matches = eq(sessions.id, id);\nawait tx.select().from(sessions).where(matches);`, 0],
  ['a reason', `// Bounded: one a day\nawait tx.select().from(sessions);`, 0],
])('a query with %s', (_, text, count) => {
  expect(findUnbounded(text)).toHaveLength(count);
});

test('every query of many rows has a limit, or says why it reads few', () => {
  const files = execFileSync('git', ['ls-files', 'lib/server'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => /^lib\/server\/.*(?<!\.test)\.ts$/.test(file));
  expect(files.length).toBeGreaterThan(50);
  const unbounded = files.flatMap((file) => findUnbounded(readFileSync(file, 'utf8')).map((line) => `${file}:${line}`));
  expect(unbounded).toEqual([]);
});
