import { parseArgs } from 'node:util';
import { canReadEnds, findDifferences, isOtherProject, reconcile, type Differences } from '@/lib/server/accounts';
import { env } from '@/lib/server/runtime';
import { getRecords } from '@/lib/server/storage';
import { announceBoth } from './announce';
import { flag, type Command } from './types';

/** Maximum ids in a line. */
const NAMED = 10;

export const reconcileCommand: Command = {
  summary: 'corrects a restored database by the identity provider and Redis',
  help: (program) => `${program} [--end-sessions] [--yes]

For a database that was restored from a backup, which does not contain later changes.
Run it after node cli migrate, and before the first process starts. Without --yes, it changes nothing and prints what it would do.
  - Deletes records of accounts that the identity provider does not have, and notifies the receivers of webhooks again.
  - Ends sessions that were revoked at the identity provider, or that Redis has marks of.
  - Sends the reminder of each scheduled deletion again, 24 hours before it, because the owner may have canceled it since.
  - Removes resets of a lost second factor, because the owner may have canceled them since. The owner can request one again.
You can repeat it. The embedded database serves one process, so stop the app first.

  --end-sessions  ends all sessions of the backup; use it if Redis has also lost its data
  --yes           makes these changes

Exit codes: 0 done, or nothing to do, or without --yes; 1 it failed, and can be repeated; 2 wrong usage.`,
  async run(args) {
    const options = { yes: flag, 'end-sessions': flag };
    const { yes, 'end-sessions': endsSessions } = parseArgs({ args: [...args], options }).values;
    announceBoth();
    const records = await getRecords();
    const found = await findDifferences(records, { endsSessions });
    if (isOtherProject(found))
      throw new Error(
        `The identity provider does not have ${String(found.gone.length)} of ${String(found.accounts)} accounts: is ${env().NEXT_PUBLIC_FIREBASE_PROJECT_ID} their project? Nothing was changed. If it is, delete them one by one: node cli delete <id> --yes`,
      );
    for (const line of describe(found)) console.log(line);
    if (!endsSessions && !(await canReadEnds()))
      console.log(
        'Redis does not answer. Sessions that were signed out since the backup are open again, unless you add --end-sessions.',
      );
    if (isEmpty(found)) console.log('Nothing to do.');
    else if (!yes) console.log('Nothing was changed: add --yes.');
    else {
      await reconcile(records, found);
      console.log('Done.');
    }
    await records.close();
    return 0;
  },
};

const isEmpty = ({ gone, revoked, ended, deletions, resets }: Differences) =>
  [gone, revoked, ended, deletions, resets].every((each) => each.length === 0);

function describe({ accounts, gone, revoked, ended, deletions, resets }: Differences): string[] {
  const list = (of: readonly { uid: string }[]) => [...new Set(of.map(({ uid }) => uid))];
  const lines: [ids: string[], what: string][] = [
    [gone, 'deleted at the identity provider: their records are deleted'],
    [list(revoked), 'with sessions that were revoked: these are ended'],
    [list(ended), 'with sessions that were signed out: these are ended'],
    [deletions, 'with a deletion that is scheduled: the owner is reminded again, 24 hours before'],
    [resets, 'with a reset of the second factor that is scheduled: it is removed'],
  ];
  const all = `Compared ${String(accounts)} ${accounts === 1 ? 'account' : 'accounts'}.`;
  const named = (ids: string[]) => ids.slice(0, NAMED).join(', ') + (ids.length > NAMED ? ', …' : '');
  return [
    all,
    ...lines.flatMap(([ids, what]) => (ids.length === 0 ? [] : `${String(ids.length)} ${what} (${named(ids)})`)),
  ];
}
