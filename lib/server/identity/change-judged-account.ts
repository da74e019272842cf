import { isDeepStrictEqual } from 'node:util';
import { reportError } from '@/lib/shared/error-reporting/report';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { type Account, type StoredAccount, editClaims, type ClaimsEdit } from '@/lib/server/policy';
import { writeJudgedAccount, type PlainChange } from './change-account';
import { readStored } from './read-stored';
import { restoreProvedEmail } from './restore-email';

type JudgedChange = PlainChange & {
  claims?: ClaimsEdit;
  /** The decision was about a proof of the account's email. */
  provesEmail?: boolean;
};

/**
 * Changes an account on which something was decided; call it with the account's lock, so that its claims are the present ones. The
 * decision's email is part of the change. Afterwards the account is read again: an email that is another one even so is rolled back,
 * to a restored account that only its owner can get into, and the change fails.
 * @throws ApiProblem `token-revoked` when the account had to be restored, `email-taken` when an unverified email was taken,
 *   `password-weak`, `user-deleted`, 503
 */
export async function changeJudgedAccount(
  { user, facts }: Account,
  { provesEmail = false, ...change }: JudgedChange,
): Promise<void> {
  const judged = provesEmail ? { ...user, emailVerified: true } : user;
  const isProved = provesEmail || facts.emailVerified;
  try {
    await writeJudgedAccount(judged, change);
  } catch (error) {
    if (!facts.emailVerified || !isApiProblem(error) || error.code !== 'email-taken') throw error;
    return restore(judged, error);
  }
  const present = await readAfterChange(user.uid);
  if (present === undefined) return;
  if (present === null) throw new ApiProblem('user-deleted');
  if (isProved && judged.email !== undefined && present.email !== judged.email.toLowerCase()) return restore(judged);
  // Claims that an operator's software has replaced meanwhile get this edit again, and keep the others.
  if (change.claims && !isDeepStrictEqual(editClaims(present.customClaims, change.claims), present.customClaims ?? {}))
    await writeJudgedAccount({ ...judged, customClaims: present.customClaims ?? {} }, { claims: change.claims });
}

async function restore({ uid, email }: StoredAccount, cause?: unknown): Promise<never> {
  await restoreProvedEmail(uid, email);
  throw new ApiProblem('token-revoked', { cause });
}

/** @returns undefined when the provider does not answer: the gate reads the account again before it opens a session */
async function readAfterChange(uid: string): Promise<StoredAccount | null | undefined> {
  try {
    return await readStored(uid);
  } catch (error) {
    reportError(error, { during: 'reading an account again that was changed' });
    return undefined;
  }
}
