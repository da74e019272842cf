import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { RecordsChoice } from '@/lib/server/records/choose';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { findPostgres, startPostgres } from '../../scripts/lib/postgres.mjs';

export const hasPostgres = findPostgres() !== undefined;
export const databaseKinds = hasPostgres ? (['embedded', 'postgres'] as const) : (['embedded'] as const);
if (!hasPostgres) console.log('Skipped: the tests of records on PostgreSQL, which is not installed.');

/** New empty databases of a kind, with what is needed to remove them. */
export async function startDatabases(kind: 'embedded' | 'postgres') {
  const dir = mkdtempSync(path.join(os.tmpdir(), `records-${kind}-`));
  const server = kind === 'postgres' ? await startPostgres({ port: (await freePorts(1))[0] ?? 0, dir }) : null;
  return {
    create: async (): Promise<RecordsChoice> => {
      if (!server) return { kind: 'embedded', folder: path.join(dir, randomUUID()) };
      const { default: pg } = await import('pg');
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      await client.query(`create database ${name}`);
      await client.end();
      return { kind: 'postgres', url: server.url.replace(/[^/]+$/, name) };
    },
    stop: async () => {
      await server?.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
