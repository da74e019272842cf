import { parseArgs } from 'node:util';
import type { UserRecord } from 'firebase-admin/auth';
import { deleteWithoutRecords, finishDeletion, countAccountRecords } from '@/lib/server/accounts';
import { orderDeletion, getOwnBrand } from '@/lib/server/notifications';
import { env, hashAccount, listWebhookReceivers } from '@/lib/server/runtime';
import { getRecords, hasRecords, isRecordsError, hasAccountRecords, type Records } from '@/lib/server/storage';
import { announceNamed } from './announce';
import { describeError } from './describe-error';
import { findLocked, findUser } from './find-user';
import { flag, type Command } from './types';

/** What is deleted, in this order. */
const SESSIONS = 'its sessions, within 30 seconds everywhere';
const ACCOUNT = 'the account at the identity provider, with its sign-in methods, name and email';
const RECORDS = 'all records about it in the database';

export const deleteCommand: Command = {
  summary: 'deletes an account with its records, and revokes its sessions',
  help: (program) => `${program} <email or account id> [--yes]

Without --yes nothing is deleted: one line says what would be. With it, in this order:
${[SESSIONS, ACCOUNT, RECORDS].map((what) => `  - ${what}`).join('\n')}
This cannot be undone. Run it again, with the id, if it was interrupted; with a database, the app finishes it by itself. The log keeps the
account's hash (node cli account-hash). The receivers of webhooks are told: by the app, from the outbox in the database, or by
this command where there is none, and again for the id of an account that is gone. The owner gets an email only if they had
asked for the deletion.
The first lines on standard error say which project and database are used. The embedded one serves one process: stop the app first.

  --yes   deletes

Exit codes: 0 deleted, or there is no such account, or without --yes; 1 it failed, and part of it may remain; 2 wrong usage.`,
  async run(args) {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: { yes: flag } });
    const found = await findAccount(announceNamed(positionals));
    if (!found) console.log('There is no such account: nothing to delete.');
    else if (!values.yes)
      console.log(`Would delete ${found.text}${await describeRecords(found.uid)}. Nothing was deleted: add --yes.`);
    else await deleteAccount(found);
    return 0;
  },
};

type Found = { uid: string; text: string; isGone: boolean };

async function deleteAccount({ uid, text, isGone }: Found): Promise<void> {
  // Before anything is deleted: without their file none would be told.
  const isTold = await isDeletionTold();
  if (hasRecords()) {
    const records = await getRecords();
    await deleteWithRecords(records, uid);
    await records.close();
    console.log(`Deleted: ${RECORDS}.`);
    if (isTold)
      console.log('The platform is told from the outbox: a running app with the same configuration sends it.');
  } else {
    const untold = await deleteWithoutRecords(uid);
    if (untold.length > 0)
      throw new Error(
        `The account ${uid} is deleted, but these receivers have not accepted it: ${untold.join(', ')}. Tell all of them again: node cli delete ${uid} --yes`,
      );
  }
  if (!isGone) for (const what of [SESSIONS, ACCOUNT]) console.log(`Deleted: ${what}.`);
  console.log(`Done: ${text}.`);
}

/** @throws Error that says so when the account is gone already: by its email it is not found again */
async function deleteWithRecords(records: Records, uid: string): Promise<void> {
  try {
    await finishDeletion(records, await orderDeletion(records, uid, getOwnBrand()));
  } catch (error) {
    if (!isRecordsError(error) || (await findUser(uid))) throw error;
    const again = `Delete them by its id: node cli delete ${uid} --yes`;
    throw new Error(
      `The account is gone at the identity provider, and its records remain. ${describeError(error)} ${again}`,
    );
  }
}

async function describeRecords(uid: string): Promise<string> {
  if (!hasRecords()) return '';
  const count = await countAccountRecords(await getRecords(), uid);
  return `, and ${String(count)} ${count === 1 ? 'record' : 'records'} about it in the database`;
}

async function isDeletionTold(): Promise<boolean> {
  return (await listWebhookReceivers()).some(({ events }) => events.includes('account.deleted'));
}

/** Also one that is gone at the identity provider, and has records, or receivers that may not have been told. */
async function findAccount(name: string): Promise<Found | null> {
  const user = await findUser(name);
  if (user) return { uid: user.uid, text: describeUser(user) + describeLocked(await findLocked(user)), isGone: false };
  if (name.includes('@')) return null;
  const gone = { uid: name, isGone: true };
  if (!hasRecords())
    return (await isDeletionTold())
      ? { ...gone, text: `account ${name}, which the identity provider does not have: its receivers are told again` }
      : null;
  return (await hasAccountRecords(await getRecords(), name))
    ? { ...gone, text: `the records of account ${name}, which is gone at the identity provider` }
    : null;
}

/** What the deletion of an account gives back: one that was registered while the database was away may have taken an address. */
const describeLocked = (locked: readonly UserRecord[]) =>
  locked.map(({ uid }) => `; account ${uid} has proved its email before, and gets that back`).join('');

/** Enough to recognize the account, without its email or name: the output of a deployment is often kept. */
function describeUser({ uid, metadata, providerData }: UserRecord): string {
  const methods = providerData.map(({ providerId }) => providerId).join(', ') || 'none';
  const facts = [
    `created ${metadata.creationTime}`,
    `last sign-in ${metadata.lastSignInTime || 'never'}`,
    `sign-in methods: ${methods}`,
    `in the log: ${hashAccount(uid)}`,
  ];
  return `account ${uid} of project ${env().NEXT_PUBLIC_FIREBASE_PROJECT_ID} (${facts.join('; ')})`;
}
