import { parseArgs } from 'node:util';
import type { UserRecord } from 'firebase-admin/auth';
import { cleanEmail } from '@/lib/shared/account/clean-email';
import { deleteWithoutRecords, finishDeletion, countAccountRecords } from '@/lib/server/accounts';
import { orderDeletion, getOwnBrand } from '@/lib/server/notifications';
import { nullOnCode, getIdentityAdmin } from '@/lib/server/identity';
import { env, hashAccount, listWebhookReceivers } from '@/lib/server/runtime';
import { getRecords, hasRecords, isRecordsError, hasAccountRecords, type Records } from '@/lib/server/storage';
import { announceDatabase } from './announce-database';
import { describeError } from './describe-error';
import { flag, UsageError, type Command } from './types';

/** The identity provider's limit, in characters. */
const MAX_ID_LENGTH = 128;

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
this command where there is none. The owner gets an email only if they had asked for the deletion.
The first line on standard error says which database is used. The embedded one serves one process: stop the app first.

  --yes   deletes

Exit codes: 0 deleted, or there is no such account, or without --yes; 1 it failed, and part of it may remain; 2 wrong usage.`,
  async run(args) {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: { yes: flag } });
    const [name, ...more] = positionals;
    if (!name || more.length > 0) throw new UsageError('Name one account, by its email or its id.');
    if (env().SESSION_BACKEND === 'upstream')
      throw new Error('SESSION_BACKEND is upstream: accounts are deleted with the configuration of that deployment.');
    announceDatabase();
    const found = await findAccount(name);
    if (!found) console.log('There is no such account: nothing to delete.');
    else if (!values.yes)
      console.log(`Would delete ${found.text}${await describeRecords(found.uid)}. Nothing was deleted: add --yes.`);
    else await deleteAccount(found);
    return 0;
  },
};

type Found = { uid: string; text: string };

async function deleteAccount({ uid, text }: Found): Promise<void> {
  // Before anything is deleted: without their file none would be told.
  const receivers = await listWebhookReceivers();
  if (hasRecords()) {
    const records = await getRecords();
    await deleteWithRecords(records, uid);
    await records.close();
    console.log(`Deleted: ${RECORDS}.`);
    if (receivers.some(({ events }) => events.includes('account.deleted')))
      console.log('The platform is told from the outbox: a running app with the same configuration sends it.');
  } else {
    await deleteWithoutRecords(uid);
  }
  for (const what of [SESSIONS, ACCOUNT]) console.log(`Deleted: ${what}.`);
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

/** Also one that is gone at the identity provider, and has records. */
async function findAccount(name: string): Promise<Found | null> {
  const user = await findUser(name);
  if (user) return { uid: user.uid, text: describeUser(user) };
  if (name.includes('@') || !hasRecords() || !(await hasAccountRecords(await getRecords(), name))) return null;
  return { uid: name, text: `the records of account ${name}, which is gone at the identity provider` };
}

/** As it is, even when its email is one that was not proved. */
async function findUser(name: string): Promise<UserRecord | null> {
  const auth = getIdentityAdmin();
  if (name.includes('@'))
    return nullOnCode(auth.getUserByEmail(cleanEmail(name)), 'getUserByEmail', 'auth/user-not-found');
  if (name.length > MAX_ID_LENGTH) throw new UsageError(`An id has at most ${String(MAX_ID_LENGTH)} characters.`);
  return nullOnCode(auth.getUser(name), 'getUser', 'auth/user-not-found');
}

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
