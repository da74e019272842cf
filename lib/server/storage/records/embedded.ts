import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigurationError } from '@/lib/server/runtime';
import { toRecordsError } from './errors';
import { lockFolder } from './folder-lock';
import { getMigrationsFolder } from './migrations';
import * as schema from './schema';
import type { Records } from './types';

/** An empty database, made by scripts/lib/records-template.mjs: creating one takes 3 s and 800 MB of memory. */
const TEMPLATE = 'records-template.tar.gz';
/** A sixteenth of the default, for 130 MB less memory. */
const SETTINGS = ['-c', 'shared_buffers=8MB'];

/**
 * Opens the embedded database in a folder, for one process, and applies the migrations. It survives a crash of the
 * process, but not of the machine: it never syncs its files.
 * @throws ConfigurationError when another process uses the folder or it cannot be created; RecordsError
 */
export async function openEmbedded(folder: string): Promise<Records> {
  const release = prepareFolder(folder);
  try {
    if (!existsSync(folder)) await createDatabase(folder);
    const [client, { drizzle }, { migrate }] = await Promise.all([
      startDatabase(folder),
      import('drizzle-orm/pglite'),
      import('drizzle-orm/pglite/migrator'),
    ]);
    const db = drizzle(client, { schema });
    await migrate(db, { migrationsFolder: getMigrationsFolder() });
    return {
      transact: (work) =>
        db.transaction(work).catch((error: unknown) => {
          throw toRecordsError(error);
        }),
      close: async () => {
        await client.close();
        release();
      },
    };
  } catch (error) {
    release();
    throw toRecordsError(error);
  }
}

/**
 * Runs queries on an existing embedded database, without migrations.
 * @throws ConfigurationError when another process uses it; RecordsError
 */
export async function queryEmbedded<T>(
  folder: string,
  work: (query: (text: string) => Promise<{ rows: unknown[] }>) => Promise<T>,
): Promise<T> {
  const release = prepareFolder(folder);
  try {
    const client = await startDatabase(folder);
    return await work((text) => client.query(text)).finally(() => client.close());
  } catch (error) {
    throw toRecordsError(error);
  } finally {
    release();
  }
}

function prepareFolder(folder: string): () => void {
  try {
    mkdirSync(path.dirname(path.resolve(folder)), { recursive: true });
    return lockFolder(folder);
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw new ConfigurationError([
      `DATABASE_FOLDER: nothing can be written beside ${folder} (${toRecordsError(error).code})`,
    ]);
  }
}

/** Under another name first: a process that is killed meanwhile must not leave half a database. */
async function createDatabase(folder: string): Promise<void> {
  const draft = `${folder}.new`;
  rmSync(draft, { recursive: true, force: true });
  const template = await readFile(path.resolve(TEMPLATE)).catch(() => null);
  const client = await startDatabase(draft, template && new Blob([new Uint8Array(template)]));
  await client.close();
  renameSync(draft, folder);
}

async function startDatabase(folder: string, template: Blob | null = null) {
  const { PGlite } = await import('@electric-sql/pglite');
  const startParams = [...PGlite.defaultStartParams, ...SETTINGS];
  return PGlite.create({ dataDir: folder, startParams, ...(template && { loadDataDir: template }) });
}
