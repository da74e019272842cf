import { parseArgs } from 'node:util';
import { env } from '@/lib/server/runtime';
import { readMigrations } from '@/lib/server/storage';
import packageFile from '@/package.json';
import type { Command } from './types';

/** States which versions may run side by side (UPGRADING.md). */
export const NEIGHBORS = 'may run beside the release before it and the one after it';

export const VERSION = packageFile.version;

export const versionCommand: Command = {
  summary: 'prints this version, and which others may run beside it',
  help: (program) => `${program}

Prints the version, the commit in NEXT_PUBLIC_RELEASE, the last migration of this version, and the version of Node.js.

Exit codes: 0 printed, 1 the configuration cannot be used, 2 wrong usage.`,
  run(args) {
    parseArgs({ args: [...args] });
    console.log(`learner-identity ${VERSION} (${env().NEXT_PUBLIC_RELEASE}); it ${NEIGHBORS}`);
    console.log(`last migration ${readMigrations().at(-1)?.name ?? 'none'}`);
    console.log(`Node.js ${process.version}`);
    return Promise.resolve(0);
  },
};
