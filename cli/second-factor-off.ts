import { parseArgs } from 'node:util';
import { hashAccount } from '@/lib/server/runtime';
import { getRecords, hasRecords } from '@/lib/server/storage';
import { turnSecondFactorOff } from '@/lib/server/second-factor';
import { announceAccounts, announceDatabase } from './announce';
import { findUser } from './find-user';
import { flag, UsageError, type Command } from './types';

export const secondFactorOffCommand: Command = {
  summary: 'turns two-step verification of an account off',
  help: (program) => `${program} <email or account id> [--yes]

For an owner who has lost the phone and the recovery codes. First make sure that it is the owner: an intruder may know the password.
Without --yes nothing is changed. With it, authenticator apps and recovery codes are removed, all sessions end, the event is recorded,
and a running app emails the owner. The password and other sign-in methods stay.
The first lines on standard error say which project and database are used. The embedded one serves one process: stop the app first.

  --yes   turns it off

Exit codes: 0 off, or nothing to turn off, or without --yes; 1 it failed; 2 wrong usage.`,
  async run(args) {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: { yes: flag } });
    const [name, ...more] = positionals;
    if (!name || more.length > 0) throw new UsageError('Name one account, by its email or its id.');
    announceAccounts();
    announceDatabase();
    if (!hasRecords()) throw new Error('There is no database: set DATABASE_URL, or DATABASE_FOLDER.');
    const user = await findUser(name);
    if (user === null) {
      console.log('There is no such account: nothing to turn off.');
      return 0;
    }
    const { uid } = user;
    const text = `account ${uid} (in the log: ${hashAccount(uid)})`;
    if (!values.yes) {
      console.log(`Would turn two-step verification off for ${text}. Nothing was changed: add --yes.`);
      return 0;
    }
    await turnSecondFactorOff(uid);
    await (await getRecords()).close();
    console.log(`Two-step verification is off for ${text}.`);
    return 0;
  },
};
