import { reportError } from '@/lib/shared/error-reporting/report';
import {
  getRecords,
  hasRecords,
  writeAboutKnownAccount,
  removeSuspectPasskeys,
  withRecords,
} from '@/lib/server/storage';

/**
 * Removes all passkeys of an account whose email is proved again, or restored.
 * @throws ApiProblem `records-unavailable`
 */
export async function removePasskeys(uid: string): Promise<void> {
  if (hasRecords()) await withRecords((records) => remove(records, uid));
}

/** The same where their rows do no harm: they have another email than the account. */
export function removePasskeysInBackground(uid: string): void {
  if (!hasRecords()) return;
  // It may be late: the owner can have added one by then.
  const until = new Date();
  void getRecords()
    .then((records) => remove(records, uid, until))
    .catch((error: unknown) => reportError(error, { during: 'removing the passkeys of an account' }));
}

async function remove(records: Parameters<typeof writeAboutKnownAccount>[0], uid: string, until?: Date): Promise<void> {
  await writeAboutKnownAccount(records, uid, (tx) => removeSuspectPasskeys(tx, { uid, at: new Date() }, { until }));
}
