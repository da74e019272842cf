import { parseArgs } from 'node:util';
import type { UserRecord } from 'firebase-admin/auth';
import { cleanEmail } from '@/lib/shared/account/clean-email';
import { isApiProblem } from '@/lib/shared/problem';
import { nullOnCode } from '../accounts/find';
import { env } from '../config/env';
import { getIdentityAdmin } from '../identity-provider/admin';
import { hashAccount } from '../observability/account-hash';
import { revokeAllSessions } from '../session';
import { flag, UsageError, type Command } from './types';

/** The identity provider's limit, in characters. */
const MAX_ID_LENGTH = 128;

type Step = { what: string; run: (uid: string) => Promise<void> };

/** What is deleted, in this order. What this app records about an account elsewhere goes before the account itself. */
const STEPS: readonly Step[] = [
  { what: 'its sessions, within 30 seconds everywhere', run: ignoreDeleted(revokeAllSessions) },
  {
    what: 'the account at the identity provider, with its sign-in methods, name and email',
    run: async (uid) => {
      await nullOnCode(getIdentityAdmin().deleteUser(uid), 'deleteUser', 'auth/user-not-found');
    },
  },
];

/** Deletes an account. */
export const deleteCommand: Command = {
  summary: 'deletes an account and revokes its sessions',
  help: (program) => `${program} <email or account id> [--yes]

Without --yes nothing is deleted: one line says what would be. With it, in this order:
${STEPS.map(({ what }) => `  - ${what}`).join('\n')}
This cannot be undone. Run it again if it was interrupted. The log keeps the account's hash (node cli account-hash), and other
systems that know the account, such as the platform, keep what they have.

  --yes   deletes

Exit codes: 0 deleted, or there is no such account, or without --yes; 1 it failed, and part of it may remain; 2 wrong usage.`,
  async run(args) {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: { yes: flag } });
    const [name, ...more] = positionals;
    if (!name || more.length > 0) throw new UsageError('Name one account, by its email or its id.');
    if (env().SESSION_BACKEND === 'upstream')
      throw new Error('SESSION_BACKEND is upstream: accounts are deleted with the configuration of that deployment.');
    const user = await findUser(name);
    if (!user) console.log('There is no such account: nothing to delete.');
    else if (!values.yes) console.log(`Would delete ${describeUser(user)}. Nothing was deleted: add --yes.`);
    else await deleteUser(user);
    return 0;
  },
};

async function deleteUser(user: UserRecord): Promise<void> {
  for (const { what, run } of STEPS) {
    await run(user.uid);
    console.log(`Deleted: ${what}.`);
  }
  console.log(`Done: ${describeUser(user)}.`);
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

/** Another operator, or the learner, may have deleted the account in between. */
function ignoreDeleted(run: Step['run']): Step['run'] {
  return (uid) =>
    run(uid).catch((error: unknown) => {
      if (!isApiProblem(error) || error.code !== 'user-deleted') throw error;
    });
}
