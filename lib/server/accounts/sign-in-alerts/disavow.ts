import type { AnnouncedSignIn } from '@/lib/shared/account/email-action';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { cancelDeletion, readDeletion, wakeOutbox } from '@/lib/server/notifications';
import { getProvedEmail, type Account, editClaims, isStorable, type ClaimsEdit } from '@/lib/server/policy';
import {
  withAccountLock,
  changeJudgedAccount,
  findById,
  restoreProvedEmail,
  providerUnavailable,
  freezeAccount,
  evictAccount,
} from '@/lib/server/identity';
import { type ClientDescription, setRequestAccount } from '@/lib/server/runtime';
import { readDisavowalLink, toLinkState, type SignInRef } from '@/lib/server/codes';
import { recordRemovedMethod, type Records, withRecords, markAllEnded } from '@/lib/server/storage';
import { disavowSession, readAnnouncedSignIn, type RecordedSignIn } from './disavowals';
import { getSuspectMethods } from './added-methods';

/** An intruder who knows the password may go on while the account is restored, once: restoring removes the password. */
const TRIES = 2;

/** The state of a link that disavows a sign-in; opening it changes nothing: email scanners open links, too. */
export async function inspectDisavowalLink(code: string): Promise<AnnouncedSignIn> {
  try {
    return await withRecords(async (records) => {
      const signIn = await readAnnouncedSignIn(records, await readDisavowalLink(code));
      if (signIn === null) return { state: 'invalid' };
      const { openedAt, browser, system } = signIn;
      if (signIn.disavowedAt !== null) return { state: 'done' };
      return { state: 'open', at: openedAt.toISOString(), browser, system };
    });
  } catch (error) {
    return { state: toLinkState(error) };
  }
}

/**
 * Undoes a sign-in that its owner did not make (docs/adr/0029): all sessions and tokens of the account end, what an
 * intruder may have added is removed, a proved email restored, a deletion requested since canceled, and all browsers are
 * forgotten, so that another sign-in there is announced again. It creates no session. Each step can be repeated after an
 * interruption; done once, it does nothing more.
 * @returns the owner's email, for the new password that comes next; null if the account has none
 * @throws ApiProblem `action-code-expired`, `action-code-invalid`; `not-found` without records, `records-unavailable`, 503
 */
export function disavowSignIn(code: string, client: ClientDescription): Promise<string | null> {
  return withRecords(async (records) => {
    const link = await readDisavowalLink(code);
    setRequestAccount(link.uid);
    await revokeAtOnce(records, link);
    const email = await withAccountLock(link.uid, () => disavow(records, link, client));
    wakeOutbox();
    return email;
  });
}

/**
 * An intruder's changes must not keep the disavowal waiting: before it waits for them, it takes their sessions. A freeze, since a
 * revocation would end that of the change that it waits for.
 */
async function revokeAtOnce(records: Records, { uid, session }: SignInRef): Promise<void> {
  const signIn = await readAnnouncedSignIn(records, { uid, session });
  if (signIn === null || signIn.disavowedAt !== null || (await findById(uid)) === null) return;
  await freezeAccount(uid);
  evictAccount(uid);
}

async function disavow(
  records: Records,
  { uid, session, to }: SignInRef,
  client: ClientDescription,
): Promise<string | null> {
  const signIn = await readAnnouncedSignIn(records, { uid, session });
  const requestedAt = new Date();
  const account = await findById(uid);
  if (signIn === null || account === null) throw new ApiProblem('action-code-invalid');
  if (signIn.disavowedAt !== null) return getOwnersEmail(account, to);
  const removed = await removeIntruder(account, { ...signIn, to });
  const methods = account.facts.methods.map(({ id }) => id);
  for (const method of removed) recordRemovedMethod({ uid, method, client, read: { methods, requestedAt } });
  const deletion = await readDeletion(records, uid);
  if (deletion && deletion.requestedAt >= signIn.since) await cancelDeletion(records, { uid, id: deletion.id, client });
  // Last: until then, the link does all of it again.
  const at = new Date();
  const event = { uid, at, client, kind: 'sign-in-disavowed' } as const;
  await markAllEnded(await disavowSession(records, { uid, id: session, since: signIn.since, at, by: 'owner', event }));
  return getOwnersEmail(account, to);
}

type Disavowed = RecordedSignIn & { to: string };

/**
 * Removes what an intruder may have added, who may know the password and go on: what is removed is read while the account is frozen, and
 * removed in one call, with the owner's email.
 * @param before as first read: restoring its email may already remove some
 * @returns the sign-in methods that were removed
 * @throws ApiProblem 503
 */
async function removeIntruder(before: Account, signIn: Disavowed): Promise<string[]> {
  for (let tries = 1; ; tries += 1) {
    const account = await freezeWithOwnersEmail(before, signIn.to);
    const email = getOwnersEmail(account, signIn.to);
    const present = [...account.facts.methods, ...before.facts.methods];
    const suspect = [...new Set(getSuspectMethods({ ...signIn, email, present }))];
    try {
      await changeJudgedAccount(account, {
        removePassword: suspect.includes('password'),
        unlink: suspect.filter((id) => id !== 'password'),
        removeSecondFactors: hasFactorSince(account, signIn.since),
        claims: getEmailClaim(account, signIn.to),
        revoke: true,
      });
      return suspect;
    } catch (error) {
      // It had another email even so, and was restored: what is left has to be read again.
      if (!isApiProblem(error) || error.code !== 'token-revoked') throw error;
      if (tries === TRIES) throw providerUnavailable(error);
    }
  }
}

/**
 * Freezes the account with the owner's email: from then on the provider accepts no change of it from a client. Restoring an email ends the
 * freeze, so the account is frozen and read once more. If it has another email even then, or a restored one that is taken, it gets
 * the claim, and counts as disabled.
 */
async function freezeWithOwnersEmail({ facts: { uid } }: Account, to: string): Promise<Account> {
  for (let tries = 1; ; tries += 1) {
    await freezeAccount(uid);
    const account = await findById(uid);
    if (account === null) throw new ApiProblem('action-code-invalid');
    const email = getOwnersEmail(account, to);
    if (email === null || email === account.facts.email || tries === TRIES) return account;
    await restoreProvedEmail(uid, email);
  }
}

/**
 * The email of the account before the sign-in: the proved one; of an account that never proved one, that of the mailbox which got
 * this link.
 */
function getOwnersEmail({ user, facts }: Account, to: string): string | null {
  return getProvedEmail(user) ?? (to === '' ? facts.email : to);
}

/** Pressing the button shows that the mailbox was read: a change of the email from now on is undone, too. */
function getEmailClaim({ user }: Account, to: string): ClaimsEdit {
  const edit = { proved: getProvedEmail(user) ?? (to === '' ? undefined : to) };
  return isStorable(editClaims(user.customClaims, edit)) ? edit : {};
}

/** The identity provider's own second factors; these screens do not ask for them, so they would lock the owner out. */
function hasFactorSince({ user }: Account, since: Date): boolean {
  const factors = user.multiFactor?.enrolledFactors ?? [];
  // Without a time it may be an intruder's; the provider counts in seconds.
  return factors.some(({ enrollmentTime }) => !(Date.parse(enrollmentTime ?? '') < since.getTime() - 1_000));
}
