import { getOwnBrand, tellOfRecoveryEmail, toNoticeBrand, wakeOutbox } from '@/lib/server/notifications';
import {
  addEvent,
  deleteRecoveryEmail,
  listNewProofs,
  listRecoveryOwners,
  type ProvedEmail,
  readRecoveryEmail,
  type Records,
  storeProvedEmails,
  withRecordsInTime,
  writeAboutKnownAccount,
} from '@/lib/server/storage';
import { reportError } from '@/lib/shared/error-reporting/report';
import { isApiProblem } from '@/lib/shared/problem';
import { readStored } from './admin';

/**
 * Stores which emails accounts have proved. An email of an account is no longer the recovery email of another one, because
 * its mailbox may have passed to another person. It fails no sign-in: a reset also looks for an account with the email.
 * Most sign-ins prove nothing new, so they end nothing.
 */
export async function storeProofs(proved: readonly ProvedEmail[]): Promise<void> {
  const added = await listNewProofs(proved);
  if (added.length === 0) return;
  try {
    await withRecordsInTime((records) => endRecoveryEmails(records, added));
  } catch (error) {
    if (!isApiProblem(error)) reportError(error, { during: 'ending a recovery email that has an account' });
    // The proof is not stored, so the next sign-in repeats it.
    return;
  }
  await storeProvedEmails(added);
}

async function endRecoveryEmails(records: Records, proved: readonly ProvedEmail[]): Promise<void> {
  const owners = await listRecoveryOwners(
    records,
    proved.map(({ email }) => email),
  );
  for (const { uid, email } of owners) {
    const isOwn = proved.some((each) => each.uid === uid && each.email.toLowerCase() === email);
    const to = isOwn ? undefined : (await readStored(uid))?.email;
    await writeAboutKnownAccount(records, uid, async (tx) => {
      if ((await readRecoveryEmail(tx, uid))?.email !== email) return;
      await deleteRecoveryEmail(tx, uid);
      if (isOwn) return;
      await addEvent(tx, { uid, at: new Date(), kind: 'recovery-email-removed' });
      if (to === undefined) return;
      await tellOfRecoveryEmail(tx, uid, { kind: 'recovery-email-removed', to }, toNoticeBrand(getOwnBrand()));
    });
  }
  if (owners.length > 0) wakeOutbox();
}
