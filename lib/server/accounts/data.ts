import type { UserRecord } from 'firebase-admin/auth';
import { requireFreshProof, type LiveSession, type SessionRequest } from '@/lib/server/session';
import { consumeLimit, recordEvent, withRecords, exportEvents, getRecords } from '@/lib/server/storage';
import { PROVED_ADDRESS_CLAIM, LEGACY_CLAIM } from '@/lib/server/policy';
import { readTables } from './data-tables';

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

/** All recorded security events of one account, for an operator. @throws RecordsError; ConfigurationError */
export async function exportAccountEvents(uid: string) {
  const records = await getRecords();
  try {
    return { uid, events: await exportEvents(records, uid) };
  } finally {
    await records.close();
  }
}

/**
 * What the identity provider has about an account, for its owner. Named one by one: password hash and salt, which the
 * record has as well, stay out.
 */
function describeProviderData({ metadata, multiFactor, customClaims = {}, ...user }: Omit<UserRecord, 'toJSON'>) {
  const claims: Record<string, unknown> = customClaims;
  const { [PROVED_ADDRESS_CLAIM]: confirmedEmail, [LEGACY_CLAIM]: isLegacy, accessLevel, ...others } = claims;
  return {
    accountId: user.uid,
    email: user.email ?? null,
    emailConfirmed: user.emailVerified,
    name: user.displayName ?? null,
    picture: user.photoURL ?? null,
    phoneNumber: user.phoneNumber ?? null,
    disabled: user.disabled,
    createdAt: toRfc3339(metadata.creationTime),
    lastSignInAt: toRfc3339(metadata.lastSignInTime),
    lastUsedAt: toRfc3339(metadata.lastRefreshTime),
    signInMethods: user.providerData.map((method) => ({
      method: method.providerId,
      idThere: method.providerId === 'password' ? null : method.uid,
      email: method.email || null,
      name: method.displayName || null,
      picture: method.photoURL || null,
      phoneNumber: method.phoneNumber || null,
    })),
    secondFactors: (multiFactor?.enrolledFactors ?? []).map(({ factorId, displayName, enrollmentTime }) => {
      return { kind: factorId, name: displayName ?? null, addedAt: toRfc3339(enrollmentTime) };
    }),
    markedAs: {
      /** The email that this app saw confirmed after a change. */
      confirmedEmailAfterChange: confirmedEmail ?? null,
      accountOfPreviousSystem: isLegacy === true,
      accessLevel: accessLevel ?? null,
      /** Of operators and imports. */
      others,
    },
  };
}

function toRfc3339(time: string | null | undefined): string | null {
  return time ? new Date(time).toISOString() : null;
}
