import { cleanEmail } from '@/lib/shared/account/clean-email';
import { findByEmail } from '@/lib/server/identity';
import { exportEvents, getRecords, hasRecords } from '@/lib/server/storage';

/**
 * All recorded security events of one account, for an operator.
 * @param name the email or id of the account
 * @throws Error when no account has the email, or no records are kept; RecordsError; ConfigurationError
 */
export async function exportAccountEvents(name: string) {
  if (!hasRecords()) throw new Error('There is no database: set DATABASE_URL, or DATABASE_FOLDER.');
  const uid = name.includes('@') ? (await findByEmail(cleanEmail(name)))?.facts.uid : name;
  if (uid === undefined) throw new Error('No account has this email. Name its id if it was deleted.');
  const records = await getRecords();
  try {
    return { uid, events: await exportEvents(records, uid) };
  } finally {
    await records.close();
  }
}
