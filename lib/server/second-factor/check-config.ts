import { log } from '@/lib/server/runtime';
import { isRecordsError, getRecords, hasRecords } from '@/lib/server/storage';
import { findUnknownKey } from './rows';
import { getKeyIds } from './keys';

/**
 * Refuses to start without a secret that has sealed stored keys of authenticator apps: those would all stop to work. While the database
 * is away it is not known.
 * @returns problems of the configuration
 */
export async function findKeyProblem(): Promise<readonly string[]> {
  if (!hasRecords()) return [];
  try {
    const unknown = await findUnknownKey(await getRecords(), getKeyIds());
    if (unknown === null) return [];
    const remedy = 'add the secret that sealed them to the list: docs/deployment.md, "Second factor"';
    return [`SECOND_FACTOR_SECRET: opens no key ${unknown}, and there are authenticator apps with it: ${remedy}`];
  } catch (error) {
    if (!isRecordsError(error)) throw error;
    // An outage is told where the database is opened.
    if (!error.isAway)
      log().warn({ err: error }, 'whether there are authenticator apps of another secret cannot be read');
    return [];
  }
}
