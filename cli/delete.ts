import { parseArgs } from 'node:util';
import type { UserRecord } from 'firebase-admin/auth';
import { countAccountRecords, finishDeletion, orderDeletion } from '@/lib/server/accounts';
import { getOwnBrand } from '@/lib/server/notifications';
import { env, hashAccount, listWebhookReceivers } from '@/lib/server/runtime';
import { getRecords, isRecordsError, hasAccountRecords, type Records } from '@/lib/server/storage';
import { announceNamed } from './announce';
import { describeError } from './describe-error';
import { findLocked, findUser } from './find-user';
import { flag, type Command } from './types';

/** The deleted data, in order of deletion. */
const SESSIONS = 'its sessions, within 30 seconds everywhere';
const ACCOUNT = 'the account at the identity provider, with its sign-in methods, name and email';
const RECORDS = 'all records about it in the database';

export const deleteCommand: Command = {
  summary: 'deletes an account with its records, and revokes its sessions',
  help: (program) => `${program} <email or account id> [--yes]

Without --yes, it deletes nothing and prints what it would delete. With --yes, it deletes in this order:
${[SESSIONS, ACCOUNT, RECORDS].map((what) => `  - ${what}`).join('\n')}
You cannot undo this. If it is interrupted, run it again with the id. A running app also completes it.
The log keeps the account's hash (node cli account-hash). A running app notifies the receivers of webhooks.
The owner gets an email only if the owner asked for the deletion.
The first lines on standard error show the project and the database.
The embedded database serves one process, so stop the app first.

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
  // Check this before the deletion, because without their file no receiver would be notified.
  const isTold = await isDeletionTold();
  const records = await getRecords();
  await deleteWithRecords(records, uid);
  await records.close();
  console.log(`Deleted: ${RECORDS}.`);
  if (isTold) console.log('A running app with the same configuration notifies the receivers of webhooks.');
  if (!isGone) for (const what of [SESSIONS, ACCOUNT]) console.log(`Deleted: ${what}.`);
  console.log(`Done: ${text}.`);
}

/** @throws Error with the account's id if the account is already deleted, because its email no longer finds it */
async function deleteWithRecords(records: Records, uid: string): Promise<void> {
  try {
    await finishDeletion(records, await orderDeletion(records, uid, getOwnBrand()));
  } catch (error) {
    if (!isRecordsError(error) || (await findUser(uid))) throw error;
    const again = `Delete them by its id: node cli delete ${uid} --yes`;
    throw new Error(
      `The account was deleted at the identity provider, but its records remain. ${describeError(error)} ${again}`,
    );
  }
}

async function describeRecords(uid: string): Promise<string> {
  const count = await countAccountRecords(await getRecords(), uid);
  return `, and ${String(count)} ${count === 1 ? 'record' : 'records'} about it in the database`;
}

async function isDeletionTold(): Promise<boolean> {
  return (await listWebhookReceivers()).some(({ events }) => events.includes('account.deleted'));
}

/** Also finds an account that was deleted at the identity provider but still has records. */
async function findAccount(name: string): Promise<Found | null> {
  const user = await findUser(name);
  if (user) return { uid: user.uid, text: describeUser(user) + describeLocked(await findLocked(user)), isGone: false };
  if (name.includes('@')) return null;
  const gone = { uid: name, isGone: true };
  return (await hasAccountRecords(await getRecords(), name))
    ? { ...gone, text: `the records of account ${name}, which was deleted at the identity provider` }
    : null;
}

/**
 * Describes the accounts that get an email back by the deletion. An account that was registered while the database was
 * unavailable may have taken another account's email.
 */
const describeLocked = (locked: readonly UserRecord[]) =>
  locked.map(({ uid }) => `; account ${uid} has proved its email before, and gets that back`).join('');

/** Describes an account without its email or name, because a deployment's output is often stored. */
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
