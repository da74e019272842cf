import type { UserRecord } from 'firebase-admin/auth';
import { requireFreshProof, type LiveSession, type SessionRequest } from '@/lib/server/session';
import {
  consumeLimit,
  type EmailSubject,
  exportEvents,
  exportSessions,
  getRecords,
  listSentEmails,
  recordEvent,
  type Records,
  withRecords,
} from '@/lib/server/storage';
import { getProvedEmail, PROVED_ADDRESS_CLAIM, LEGACY_CLAIM, type StoredAccount } from '@/lib/server/policy';
import { readTables } from './data-tables';

/**
 * Returns all data that this product has about the signed-in user's account, for its owner.
 * @param token as for `requireFreshProof`
 * @throws ApiProblem as `requireFreshProof`; `not-found` if another deployment has the accounts; `too-many-requests`,
 * `records-unavailable`, 503
 */
export function downloadAccountData({ status: { uid } }: LiveSession, token: string, request: SessionRequest) {
  return withRecords(async (records) => {
    const { account } = await requireFreshProof(uid, token, request);
    await consumeLimit('download-data', uid);
    const data = await collectAccountData(records, account.user);
    recordEvent({ uid, kind: 'data-downloaded', client: request.client() });
    return data;
  });
}

/** Collects all data that this product has about an account, for its owner. @throws RecordsError */
export async function collectAccountData(records: Records, user: StoredAccount) {
  const tables = await records.transact((tx) => readTables(tx, user.uid, listAddresses(user)));
  return { createdAt: new Date().toISOString(), account: describeProviderData(user), records: tables };
}

/**
 * Returns the recorded security events, sessions and emails of one account for an operator.
 * @param addresses its emails, which find the codes and links that were sent to them
 * @throws RecordsError; ConfigurationError
 */
export async function exportAccountEvents({ uid, addresses }: EmailSubject) {
  const records = await getRecords();
  try {
    return {
      uid,
      events: await exportEvents(records, uid),
      sessions: await exportSessions(records, uid),
      emails: await listSentEmails(records, { uid, addresses }),
    };
  } finally {
    await records.close();
  }
}

/**
 * Describes the identity provider's data of an account for its owner. It names each field, because the record also has
 * the password hash and salt, which must stay out.
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
      /** The email that was confirmed in this app after a change. */
      confirmedEmailAfterChange: confirmedEmail ?? null,
      accountOfPreviousSystem: isLegacy === true,
      accessLevel: accessLevel ?? null,
      /** Of operators and imports. */
      others,
    },
  };
}

/** Lists the current email and the proved email. */
export function listAddresses(user: Pick<UserRecord, 'email' | 'customClaims'>): string[] {
  return [...new Set([user.email?.toLowerCase(), getProvedEmail(user)])].filter((email) => typeof email === 'string');
}

function toRfc3339(time: string | null | undefined): string | null {
  return time ? new Date(time).toISOString() : null;
}
