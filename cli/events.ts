import { parseArgs } from 'node:util';
import { exportAccountEvents } from '@/lib/server/accounts';
import { announceDatabase } from './announce-database';
import { UsageError, type Command } from './types';

export const eventsCommand: Command = {
  summary: 'the recorded security events of an account, as JSON',
  help: (program) => `${program} <email or account id>

Prints { "uid", "events" }, newest first. An account that is gone at the identity provider is found by its id alone.
The first line on standard error says which database is read. The embedded one serves one process: stop the app first.

Exit codes: 0 printed, also when there are none; 1 no account has the email, or the database cannot be used; 2 wrong usage.`,
  async run(args) {
    const [name, ...more] = parseArgs({ args: [...args], allowPositionals: true }).positionals;
    if (!name || more.length > 0) throw new UsageError('Name one account, by its email or its id.');
    announceDatabase();
    console.log(JSON.stringify(await exportAccountEvents(name), null, 2));
    return 0;
  },
};
