import { parseArgs } from 'node:util';
import { exportAccountEvents, listAddresses } from '@/lib/server/accounts';
import { announceNamed } from './announce';
import { findUser } from './find-user';
import type { Command } from './types';

export const eventsCommand: Command = {
  summary: 'prints the security events, sessions and emails of an account, as JSON',
  help: (program) => `${program} <email or account id>

Prints { "uid", "events", "sessions", "emails" }, each list with the newest first.
"rule" of an event "refused" and "endedBy" of a session are explained in docs/account-policy.md.
"result" of an email is explained in docs/support/index.md. Emails are kept for 30 days.
If the identity provider has deleted the account, name it by its id.
The first lines on standard error show the project and the database.
The embedded database serves one process, so stop the app first.

Exit codes: 0 printed, 1 no account has the email or the database cannot be used, 2 wrong usage.`,
  async run(args) {
    const name = announceNamed(parseArgs({ args: [...args], allowPositionals: true }).positionals);
    const user = await findUser(name);
    if (user === null && name.includes('@'))
      throw new Error('No account has this email. If it was deleted, name its id.');
    const subject = { uid: user?.uid ?? name, addresses: user ? listAddresses(user) : [] };
    console.log(JSON.stringify(await exportAccountEvents(subject), null, 2));
    return 0;
  },
};
