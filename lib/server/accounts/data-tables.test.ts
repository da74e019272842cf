import { getTableColumns, is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { expect, it } from 'vitest';
import * as schema from '@/lib/server/storage/records/schema';
import { EXPORTED_TABLES } from './data-tables';

const tables = Object.values<unknown>(schema).filter((value): value is PgTable => is(value, PgTable));
const getName = (table: PgTable) => getTableConfig(table).name;
const exported = Object.values(EXPORTED_TABLES).map(({ table }) => getName(table));

it('"Download my data" has every table with records of accounts', () => {
  const withUid = tables.filter((table) => getTableConfig(table).columns.some(({ name }) => name === 'uid'));
  expect(withUid.length).toBeGreaterThan(2);
  expect(exported.sort()).toEqual([...withUid.map(getName), 'oidc_client_sessions'].sort());
});

it('a table without the column of accounts is deleted with one that has it, or names none', () => {
  const others = tables.filter((table) => !getTableConfig(table).columns.some(({ name }) => name === 'uid'));
  expect(others.map(getName)).toEqual([
    ...[
      'released_files',
      'account_locks',
      'session_cookies',
      'used_challenges',
      'oidc_artifacts',
      'oidc_client_sessions',
    ],
  ]);
  for (const table of [schema.sessionCookies, schema.oidcArtifacts, schema.oidcClientSessions]) {
    const [parent] = getTableConfig(table).foreignKeys;
    expect([parent?.reference().foreignTable, parent?.onDelete]).toEqual([schema.sessions, 'cascade']);
  }
});

it('all records of an account go with its row; jobs are done after it', () => {
  const staying = tables.filter((table) => {
    const { name, foreignKeys } = getTableConfig(table);
    const cascades = foreignKeys.some(
      ({ reference, onDelete }) => reference().foreignTable === schema.accounts && onDelete === 'cascade',
    );
    const others = ['account_locks', 'released_files', 'used_challenges', 'oidc_artifacts', 'oidc_client_sessions'];
    return !['accounts', 'session_cookies', ...others].includes(name) && !cascades;
  });
  // `deleteAccountRow` deletes that of `proved_emails`, whose account can have no row any more.
  // It deletes those of `sent_emails`, too.
  expect(staying.map(getName)).toEqual(['proved_emails', 'jobs', 'sent_emails']);
});

it('withholds only columns that exist', () => {
  for (const { table, withheld = [] } of Object.values(EXPORTED_TABLES))
    expect(Object.keys(getTableColumns(table))).toEqual(expect.arrayContaining([...withheld]));
});
