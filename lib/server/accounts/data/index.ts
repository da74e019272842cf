import { requireFreshProof, type LiveSession, type SessionRequest } from '@/lib/server/session';
import { consumeLimit, recordEvent, withRecords } from '@/lib/server/storage';
import { describeProviderData } from './provider-data';
import { readTables } from './tables';

/**
 * Everything that this product holds about the signed-in user's account, for its owner.
 * @param token as for `requireFreshProof`
 * @throws ApiProblem as `requireFreshProof`; `not-found` without records, `too-many-requests`, `records-unavailable`, 503
 */
export function downloadAccountData({ status: { uid } }: LiveSession, token: string, request: SessionRequest) {
  return withRecords(async (records) => {
    const { account } = await requireFreshProof(uid, token, request);
    await consumeLimit('download-data', uid);
    const tables = await records.transact((tx) => readTables(tx, uid));
    recordEvent({ uid, kind: 'data-downloaded', client: request.client() });
    return { createdAt: new Date().toISOString(), account: describeProviderData(account.user), records: tables };
  });
}
