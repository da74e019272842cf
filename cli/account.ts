import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { drainBehindResponses } from '@/lib/server/http';
import { escapeLines } from '@/lib/server/runtime';
import { getRecords } from '@/lib/server/storage';
import { actOnAccount, lookUpAccounts, planAction, reasonSchema, SUPPORT_ACTIONS } from '@/lib/server/support';
import { ACCOUNT_ACTIONS, type SupportAccount } from '@/lib/shared/support/desk';
import { buildTimeline } from '@/lib/shared/support/timeline';
import { moveAccounts, readPairs } from './account-move';
import { announceBoth, announceNamed } from './announce';
import { findUser } from './find-user';
import { flag, text, UsageError, type Command } from './types';

/** What each view prints of an account. */
const VIEWS: Record<string, (account: SupportAccount) => unknown> = {
  find: ({ events: _events, emails: _emails, sessions: _sessions, ...account }) => account,
  sessions: ({ uid, sessions }) => ({ uid, sessions }),
  emails: ({ uid, emails }) => ({ uid, emails }),
  why: (account) => buildTimeline(account).map(({ at, text: what }) => `${at}  ${what}`),
};

const MOVE = 'move';
const isAction = (name: string) => ACCOUNT_ACTIONS.find((action) => action === name);

export const accountCommand: Command = {
  summary: 'answers a learner: looks an account up, and acts on it',
  help: (program) => `${program} <what> <email or account id> [options]

To look:
  find       the state in sentences, sign-in methods, passkeys and the second factor, as JSON
  sessions   the last 100 sessions, and why each ended, as JSON
  emails     every email of 30 days with its result, as JSON, also to an address without an account
  why        a line for each event, email and end of a session, oldest first

To act (docs/support/index.md):
  ${ACCOUNT_ACTIONS.join('\n  ')}

To change the email (docs/operate/learners/wrong-email.md):
  move       "move OLD-EMAIL NEW-EMAIL", or "move --file pairs.csv" with the columns "from" and "to"

Without --yes nothing is changed: one line says if the action is possible. "export" needs no --yes, and prints the data for the owner.
"delete" prints a receipt for the person. Each look and each action is an event with your name and the reason, which the owner can
download. A running app emails the owner about a change.
The first lines on standard error say which project and database are used. The embedded one serves one process: stop the app first.

  --reason TEXT   why, in a line: a ticket, and no person. Required to act
  --by NAME       who you are, by default the name of your user on this machine
  --file FILE     of "move"
  --yes           acts

Exit codes: 0 done, or without --yes; 1 it failed, or the state of the account does not allow it; 2 wrong usage.`,
  async run(args) {
    const options = { reason: text, by: text, file: text, yes: flag };
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
    const [what = '', ...names] = positionals;
    const view = Object.hasOwn(VIEWS, what) ? VIEWS[what] : undefined;
    const action = isAction(what);
    const pairs = what === MOVE ? readPairs(names, values.file) : undefined;
    if ((!view && !action && !pairs) || (values.file !== undefined && !pairs))
      throw new UsageError('Say what to do with the account.');
    const reason = readReason(values.reason, !view);
    const operator = `cli:${readName(values.by)}`;
    if (pairs) announceBoth();
    const name = pairs ? '' : announceNamed(names);
    try {
      if (pairs) return await moveAccounts(pairs, { operator, reason: reason ?? '', isDry: !values.yes });
      if (view) return await look(view, { operator, name, reason });
      const uid = name.includes('@') ? (await findUser(name))?.uid : name;
      if (action === undefined || uid === undefined)
        throw new Error('No account has this email. Name its id if it was deleted.');
      if (!values.yes && action !== 'export') return await plan(action, uid);
      const { receipt, data, ...done } = await actOnAccount({ operator, action, uid, reason: reason ?? '' });
      console.log(JSON.stringify(data ?? receipt ?? done, null, 2));
      return 0;
    } finally {
      // Emails by order of support are sent by this process.
      await drainBehindResponses();
      await (await getRecords()).close();
    }
  },
};

type Look = { operator: string; name: string; reason: string | undefined };

async function look(view: (account: SupportAccount) => unknown, { operator, name, reason }: Look): Promise<number> {
  const { accounts, emails } = await lookUpAccounts(
    { name: operator, actions: SUPPORT_ACTIONS },
    {
      ...(name.includes('@') ? { email: name } : { uid: name }),
      reason,
    },
  );
  if (accounts.length === 0 && emails.length > 0 && view === VIEWS.emails) {
    console.error('No account has this email, but there were emails to it. Their result says whether each was sent.');
    console.log(JSON.stringify({ uid: null, emails }, null, 2));
    return 0;
  }
  if (accounts.length === 0 && emails.length > 0)
    throw new Error('No account has this email, but there were emails to it: "emails" lists them.');
  if (accounts.length === 0) throw new Error('There is no such account.');
  for (const account of accounts) {
    const shown = view(account);
    console.log(Array.isArray(shown) ? escapeLines(shown.join('\n')) : JSON.stringify(shown, null, 2));
  }
  return 0;
}

async function plan(action: (typeof ACCOUNT_ACTIONS)[number], uid: string): Promise<number> {
  const refusal = await planAction(action, uid);
  console.log(
    refusal ? `Not possible: ${refusal.detail}.` : `Possible for account ${uid}. Nothing was changed: add --yes.`,
  );
  return refusal ? 1 : 0;
}

function readReason(given: string | undefined, isRequired: boolean): string | undefined {
  if (given === undefined && !isRequired) return undefined;
  const { success, data } = reasonSchema.safeParse(given);
  if (!success) throw new UsageError('Give a reason of one line, of 3 to 200 characters: --reason "Ticket 4711".');
  return data;
}

/** The owner of the account reads the name. */
function readName(given = userInfo().username): string {
  if (!/^[\w.-]{1,64}$/.test(given)) throw new UsageError('--by has letters, digits, ".", "_" and "-".');
  return given;
}
