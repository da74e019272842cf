import type { AnnouncedSignIn } from '@/lib/shared/account/email-action';
import { ApiProblem } from '@/lib/shared/problem';
import { cancelDeletion, readDeletion } from '../account-deletion/rows';
import { getProvedEmail, type Account } from '../account-policy/account';
import { withAccountLock } from '../accounts/account-lock';
import { findById } from '../accounts/find';
import { restoreProvedEmail } from '../accounts/restore-email';
import type { ClientDescription } from '../http/client-description';
import { wakeOutbox } from '../notices/wake';
import { setRequestAccount } from '../observability/request-context';
import { readDisavowalLink, toLinkState, type SignInRef } from '../one-time-codes/notice-links';
import { recordRemovedMethod } from '../records/record-event';
import { disavowSession, readAnnouncedSignIn } from '../records/disavowals';
import type { Records } from '../records/types';
import { withRecords } from '../records/with-records';
import { changeAccountWithSessions } from '../session/change-account';
import { markAllEnded } from '../session/ended';
import { getSuspectMethods } from './added-methods';

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

/** An intruder's changes must not keep the disavowal waiting: before it waits for them, it takes their sessions. */
async function revokeAtOnce(records: Records, { uid, session }: SignInRef): Promise<void> {
  const signIn = await readAnnouncedSignIn(records, { uid, session });
  if (signIn === null || signIn.disavowedAt !== null || (await findById(uid)) === null) return;
  await changeAccountWithSessions(uid, { revoke: true });
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
  const email = getOwnersEmail(account, to);
  if (signIn.disavowedAt !== null) return email;
  if (email !== null && email !== account.facts.email) await restoreProvedEmail(uid, email);
  const suspect = getSuspectMethods({ ...signIn, email, present: account.facts.methods });
  await changeAccountWithSessions(uid, {
    removePassword: suspect.includes('password'),
    unlink: suspect.filter((id) => id !== 'password'),
    removeSecondFactors: hasFactorSince(account, signIn.since),
    revoke: true,
  });
  const methods = account.facts.methods.map(({ id }) => id);
  for (const method of suspect) recordRemovedMethod({ uid, method, client, read: { methods, requestedAt } });
  const deletion = await readDeletion(records, uid);
  if (deletion && deletion.requestedAt >= signIn.since) await cancelDeletion(records, { uid, id: deletion.id, client });
  // Last: until then, the link does all of it again.
  const at = new Date();
  const event = { uid, at, client, kind: 'sign-in-disavowed' } as const;
  await markAllEnded(await disavowSession(records, { uid, id: session, since: signIn.since, at, by: 'owner', event }));
  return email;
}

/**
 * The email of the account before the sign-in: the proved one; of an account that never proved one, that of the mailbox which got
 * this link.
 */
function getOwnersEmail({ user, facts }: Account, to: string): string | null {
  return getProvedEmail(user) ?? (to === '' ? facts.email : to);
}

/** The identity provider's own second factors; these screens do not ask for them, so they would lock the owner out. */
function hasFactorSince({ user }: Account, since: Date): boolean {
  const factors = user.multiFactor?.enrolledFactors ?? [];
  // Without a time it may be an intruder's; the provider counts in seconds.
  return factors.some(({ enrollmentTime }) => !(Date.parse(enrollmentTime ?? '') < since.getTime() - 1_000));
}
