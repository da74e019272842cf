import { parseArgs } from 'node:util';
import { env } from '@/lib/server/runtime';
import { chooseRecords, getRecords, migrateRecords, storeReleasedFiles } from '@/lib/server/storage';
import { describeDatabase } from './announce';
import type { Command } from './types';

export const migrateCommand: Command = {
  summary: 'brings the database to the schema of this version; run it before its processes start',
  help: (program) => `${program}

Applies the migrations that the database lacks, and prints their names. Processes of the previous version go on meanwhile. A second run waits
for the first one, and has nothing to do. Then it stores the scripts and styles of this version in the database, where processes of other versions
find them for pages that are open. A run that was interrupted can be repeated.

Exit codes: 0 the database has all migrations, or SESSION_BACKEND is upstream; 1 it cannot be used, or a migration failed; 2 wrong usage.`,
  async run(args) {
    parseArgs({ args: [...args] });
    const choice = chooseRecords(env());
    console.error(`Database: ${describeDatabase(choice)}`);
    if (choice === null) {
      console.log('SESSION_BACKEND is upstream: there is no database to migrate.');
      return 0;
    }
    const applied = await migrateRecords(choice);
    for (const name of applied) console.log(`Applied ${name}`);
    const files = await storeReleasedFiles(await getRecords());
    if (files > 0) console.log(`Stored ${String(files)} scripts and styles of this version, for pages that stay open.`);
    console.log(applied.length > 0 ? 'All migrations are applied.' : 'All migrations were applied before.');
    return 0;
  },
};
