import { FlattenedEncrypt, flattenedDecrypt, type FlattenedJWE } from 'jose';
import { desc, notInArray } from 'drizzle-orm';
import { deriveKeys, digest, env, log } from '@/lib/server/runtime';
import { authenticatorApps, getRecords, hasRecords, isRecordsError, type Records } from '@/lib/server/storage';

export type SealedKey = Pick<typeof authenticatorApps.$inferSelect, 'sealedKey' | 'keyId'>;

const KEY_ID_LENGTH = 12;

type SealingKey = { id: string; key: Uint8Array };

/** By the order of the secrets: the first one seals, all unseal. */
function getKeys(secrets: readonly string[]): SealingKey[] {
  return deriveKeys(secrets, 'second-factor/key').map((key) => ({
    id: digest(Buffer.from(key).toString('base64url')).slice(0, KEY_ID_LENGTH),
    key,
  }));
}

export function getKeyIds(secrets = env().SECOND_FACTOR_SECRET): string[] {
  return getKeys(secrets).map(({ id }) => id);
}

/** Seals the key of an authenticator app (JWE, RFC 7516; `dir`, A256GCM) for one account: in another row it does not open. */
export async function sealKey(
  secret: Uint8Array,
  uid: string,
  secrets: readonly string[] = env().SECOND_FACTOR_SECRET,
): Promise<SealedKey> {
  const [first] = getKeys(secrets);
  if (!first) throw new Error('SECOND_FACTOR_SECRET is not set');
  const jwe = await new FlattenedEncrypt(secret)
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setAdditionalAuthenticatedData(Buffer.from(uid))
    .encrypt(first.key);
  return { sealedKey: jwe, keyId: first.id };
}

/**
 * Opens the key of an authenticator app.
 * @returns `resealed`: the same by the first secret, to be stored, when another one had sealed it
 * @throws Error when no secret of the configuration opens it
 */
export async function openKey(
  { sealedKey, keyId }: SealedKey,
  uid: string,
  secrets: readonly string[] = env().SECOND_FACTOR_SECRET,
): Promise<{ secret: Uint8Array; resealed: SealedKey | null }> {
  const keys = getKeys(secrets);
  const found = keys.find(({ id }) => id === keyId);
  if (!found) throw new Error(`No secret of SECOND_FACTOR_SECRET has sealed the key of an authenticator app: ${keyId}`);
  // The stored value is of our own making; its account is not: that is the one who asks.
  const jwe = { ...(sealedKey as FlattenedJWE), aad: Buffer.from(uid).toString('base64url') };
  const options = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] };
  const { plaintext: secret } = await flattenedDecrypt(jwe, found.key, options);
  return { secret, resealed: found === keys[0] ? null : await sealKey(secret, uid, secrets) };
}

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

/** An app whose key was sealed by none of these secrets; null when there is none. */
function findUnknownKey(records: Records, keyIds: readonly string[]): Promise<string | null> {
  return records.transact(async (tx) => {
    const isOther = keyIds.length === 0 ? undefined : notInArray(authenticatorApps.keyId, [...keyIds]);
    const [other] = await tx
      .select({ keyId: authenticatorApps.keyId })
      .from(authenticatorApps)
      .where(isOther)
      .orderBy(desc(authenticatorApps.createdAt))
      .limit(1);
    return other?.keyId ?? null;
  });
}
