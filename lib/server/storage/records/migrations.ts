import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

const journalSchema = z.object({ entries: z.array(z.object({ when: z.number() })) });

/** Keys of `pg_advisory_lock` in our database: each is held by at most one process. */
export const ADVISORY_LOCKS = { migrations: 5_402_001, retention: 5_402_002 } as const;

/** The folder with the SQL that drizzle-kit generates; part of the standalone folder. */
export function getMigrationsFolder(): string {
  return path.resolve('migrations');
}

/** When each migration was generated, in milliseconds since 1970: the database keeps these of the ones it has. */
export async function readMigrationTimes(): Promise<number[]> {
  const journal = await readFile(path.join(getMigrationsFolder(), 'meta/_journal.json'), 'utf8');
  return journalSchema.parse(JSON.parse(journal)).entries.map(({ when }) => when);
}
