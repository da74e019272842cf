import { log } from '@/lib/server/runtime';
import { isRecordsError, getRecords, findOtherRpId } from '@/lib/server/storage';
import { getRelyingParty } from '@/lib/server/http';

/**
 * Refuses to start with another RP ID than that of the stored passkeys: every one of them would stop to work. While the database is
 * away it is not known; passkeys of another RP ID then stay unknown to this process.
 * @returns problems of the configuration
 */
export async function findRpIdProblem(): Promise<readonly string[]> {
  const rp = getRelyingParty();
  if (rp === null) return [];
  try {
    const other = await findOtherRpId(await getRecords(), rp.id);
    if (other === null) return [];
    const remedy = `set it back, or delete them first: docs/deployment.md, "Passkeys"`;
    return [`PASSKEY_RP_ID: is ${rp.id}, but there are passkeys of ${other}, which would all stop working: ${remedy}`];
  } catch (error) {
    if (!isRecordsError(error)) throw error;
    // An outage is told where the database is opened.
    if (!error.isAway) log().warn({ err: error }, 'whether there are passkeys of another RP ID cannot be read');
    return [];
  }
}
