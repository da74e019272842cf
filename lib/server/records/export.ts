import { findByEmail } from '../accounts/find';
import { exportEvents } from './events';
import { getRecords } from './index';

/**
 * All recorded security events of one account, for an operator.
 * @throws Error when no account has the email; RecordsError; ConfigurationError
 */
export async function exportAccountEvents({ email, uid }: { email?: string; uid?: string }) {
  const id = uid ?? (email === undefined ? undefined : (await findByEmail(email))?.facts.uid);
  if (id === undefined) throw new Error(`No account has the email ${String(email)}.`);
  const records = await getRecords();
  try {
    return { uid: id, events: await exportEvents(records, id) };
  } finally {
    await records.close();
  }
}
