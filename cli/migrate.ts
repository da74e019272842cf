import { parseArgs } from 'node:util';
import { env } from '@/lib/server/runtime';
import { chooseRecords, getRecords, migrateRecords, storeReleasedFiles } from '@/lib/server/storage';
import { describeDatabase } from './announce';
import type { Command } from './types';

export const migrateCommand: Command = {
  summary: 'updates the database to this version; run it before the first process starts',
  help: (program) => `${program}

Applies the missing migrations, and prints their names. Processes of the previous version continue.
If another run is in progress, this one waits for it, and then has nothing to do.
It also stores the scripts and styles of this version in the database, for pages that stay open during an upgrade.
You can repeat a run that was interrupted.

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
