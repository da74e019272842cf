import { getOwnBrand, tellOfRecoveryEmail, toNoticeBrand, wakeOutbox } from '@/lib/server/notifications';
import {
  addEvent,
  deleteProvedRecoveryEmails,
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
export async function storeProofs(proved: readonly { uid: string; email: string }[]): Promise<void> {
  const stored = await storeProvedEmails(proved);
  if (stored.length === 0) return;
  try {
    await withRecordsInTime(async (records) => {
      const emails = proved.filter(({ uid }) => stored.includes(uid)).map(({ email }) => email);
      for (const uid of await deleteProvedRecoveryEmails(records, emails))
        if (!proved.some((each) => each.uid === uid)) await tellOfLoss(records, uid);
    });
  } catch (error) {
    if (!isApiProblem(error)) reportError(error, { during: 'ending a recovery email that has an account' });
  }
}

async function tellOfLoss(records: Records, uid: string): Promise<void> {
  const at = new Date();
  const to = (await readStored(uid))?.email;
  await writeAboutKnownAccount(records, uid, async (tx) => {
    await addEvent(tx, { uid, at, kind: 'recovery-email-removed' });
    if (to === undefined) return;
    await tellOfRecoveryEmail(tx, uid, { kind: 'recovery-email-removed', to }, toNoticeBrand(getOwnBrand()));
  });
  wakeOutbox();
}
