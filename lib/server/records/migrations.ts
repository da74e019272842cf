import path from 'node:path';

/** Keys of `pg_advisory_lock` in our database: each is held by at most one process. */
export const ADVISORY_LOCKS = { migrations: 5_402_001, retention: 5_402_002 } as const;

/** The folder with the SQL that drizzle-kit generates; part of the standalone folder. */
export function getMigrationsFolder(): string {
  return path.resolve('migrations');
}
