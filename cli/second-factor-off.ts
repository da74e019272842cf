import { parseArgs } from 'node:util';
import { hashAccount } from '@/lib/server/runtime';
import { readStored } from '@/lib/server/identity';
import { getProvedEmail, toAccountFacts } from '@/lib/server/policy';
import { getRecords } from '@/lib/server/storage';
import { readSecondFactor, turnSecondFactorOff } from '@/lib/server/second-factor';
import { announceNamed } from './announce';
import { findUser } from './find-user';
import { flag, type Command } from './types';

const NO_ACCOUNT = 'There is no such account: nothing to turn off.';
const RESTORED = ' It gets its proved email back first, and loses its password and the methods of other emails.';

export const secondFactorOffCommand: Command = {
  summary: 'turns two-step verification of an account off',
  help: (program) => `${program} <email or account id> [--yes]

For an owner who has lost the phone and the recovery codes. Verify the owner first, because an intruder may know the password.
Without --yes, it changes nothing. With --yes, it removes authenticator apps and recovery codes, ends all sessions,
and records the event. A running app emails the owner. The password and other sign-in methods stay, with one exception:
If the account has another email than the proved one, it gets the proved one back. It then loses its password and the
methods of other emails. Without --yes, the command prints if that would happen.
The first lines on standard error show the project and the database.
The embedded database serves one process, so stop the app first.

  --yes   turns it off

Exit codes: 0 off, or nothing to turn off, or without --yes; 1 it failed; 2 wrong usage.`,
  async run(args) {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: { yes: flag } });
    const name = announceNamed(positionals);
    const user = await findUser(name);
    if (user === null) {
      console.log(NO_ACCOUNT);
      return 0;
    }
    const { uid } = user;
    const text = `account ${uid} (in the log: ${hashAccount(uid)})`;
    if (!values.yes) console.log(`${await describePlan(uid, text)} Nothing was changed: add --yes.`);
    else console.log((await turnSecondFactorOff(uid)) ? `Two-step verification is off for ${text}.` : NO_ACCOUNT);
    await (await getRecords()).close();
    return 0;
  },
};

/** Describes what `--yes` does. */
async function describePlan(uid: string, text: string): Promise<string> {
  // Read the account unchanged, because `findById` would restore its email.
  const account = await readStored(uid);
  const facts = account && toAccountFacts(account, null, null);
  const { since, apps } = await readSecondFactor(await getRecords(), uid);
  const isOn = facts?.hasSecondFactor === true || since !== null || apps.length > 0;
  const plan = isOn
    ? `Would turn two-step verification off for ${text}.`
    : `Two-step verification is off for ${text}: only its sessions would end.`;
  const proved = account && getProvedEmail(account);
  return proved !== null && proved !== facts?.email ? plan + RESTORED : plan;
}
