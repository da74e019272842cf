import { parseArgs } from 'node:util';
import { exportAccountEvents } from '@/lib/server/accounts';
import { announceNamed } from './announce';
import { findUser } from './find-user';
import type { Command } from './types';

export const eventsCommand: Command = {
  summary: 'the recorded security events and sessions of an account, as JSON',
  help: (program) => `${program} <email or account id>

Prints { "uid", "events", "sessions" }, newest first. "rule" of an event "refused" and "endedBy" of a session are the words of
docs/account-policy.md. An account that is gone at the identity provider is found by its id alone.
The first lines on standard error say which project and database are read. The embedded one serves one process: stop the app first.

Exit codes: 0 printed, also when there are none; 1 no account has the email, or the database cannot be used; 2 wrong usage.`,
  async run(args) {
    const name = announceNamed(parseArgs({ args: [...args], allowPositionals: true }).positionals);
    const uid = name.includes('@') ? (await findUser(name))?.uid : name;
    if (uid === undefined) throw new Error('No account has this email. Name its id if it was deleted.');
    console.log(JSON.stringify(await exportAccountEvents(uid), null, 2));
    return 0;
  },
};
