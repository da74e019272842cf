import { requireFreshProof } from '@/lib/server/session/fresh-proof';
import { consumeLimit } from '@/lib/server/storage/rate-limits';
import { recordEvent } from '@/lib/server/storage/records/record-event';
import { withRecords } from '@/lib/server/storage/records/with-records';
import type { LiveSession } from '@/lib/server/session/require-session';
import type { SessionRequest } from '@/lib/server/session/types';
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
