import { randomBytes, randomUUID } from 'node:crypto';
import { and, asc, desc, eq, inArray, isNotNull, isNull, lt, notInArray, or } from 'drizzle-orm';
import { FlattenedEncrypt, flattenedDecrypt, type FlattenedJWE } from 'jose';
import { Secret, TOTP } from 'otpauth';
import { encodeQR } from 'qr';
import { deriveKeys, digest, env, log } from '@/lib/server/runtime';
import {
  authenticatorApps,
  getRecords,
  isRecordsError,
  transactInTime,
  withRecordsInTime,
  writeAboutAccount,
  writeAboutKnownAccount,
  type Records,
  type Tx,
} from '@/lib/server/storage';
import { MAX_APPS, type NewApp } from '@/lib/shared/account/security';
import { ApiProblem } from '@/lib/shared/problem';
import { SETUP_MS, type Enrollee, type FactorKind, type Removed, type Verdict } from '../factor';
import { dropNewCodes } from '../recovery-codes';

/** Length of an HMAC-SHA-1 secret in bytes (RFC 4226, section 4, requirement R6). */
const SECRET_BYTES = 20;
/** RFC 6238, section 4.1. Apps support no other value. */
const PERIOD_SECONDS = 30;
/**
 * Number of steps before and after the current step whose codes are accepted, because clocks differ (RFC 6238, section
 * 5.2).
 */
const WINDOW = 1;
/** Accepts only ASCII digits, because the library throws on others. */
const SIX_DIGITS = /^[0-9]{6}$/;

export function createSecret(): Uint8Array {
  return randomBytes(SECRET_BYTES);
}

/**
 * Returns the data that an authenticator app receives.
 * @param issuer the brand, which the app shows with the account's email
 */
export function describeApp(
  secret: Uint8Array,
  { issuer, label }: { issuer: string; label: string },
): Omit<NewApp, 'id'> {
  const totp = new TOTP({ issuer: issuer.replaceAll(':', ' '), label, secret: toSecret(secret), ...ALGORITHM });
  const uri = totp.toString();
  return { secret: toSecret(secret).base32, uri, qr: drawQr(uri) };
}

const ALGORITHM = { algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS } as const;

/** The quiet zone around a QR code, in modules (ISO/IEC 18004). */
const QUIET_ZONE = 4;

function drawQr(text: string): NewApp['qr'] {
  const modules = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_ZONE });
  const path = modules.map((row, y) => [...toRuns(row)].map(([x, n]) => `M${x} ${y}h${n}v1h-${n}z`).join('')).join('');
  return { size: modules.length, path };
}

/** Yields the runs of dark modules in a row, each with its start and length. */
function* toRuns(row: readonly boolean[]): Generator<[number, number]> {
  let begin: number | null = null;
  for (const [x, dark] of [...row, false].entries()) {
    if (dark) begin ??= x;
    else if (begin !== null) {
      yield [begin, x - begin];
      begin = null;
    }
  }
}

/**
 * Finds the time step of a code.
 * @param now milliseconds since 1970
 * @returns null if the code belongs to no accepted step
 */
export function findStep(secret: Uint8Array, code: string, now: number): number | null {
  if (!SIX_DIGITS.test(code)) return null;
  const totp = new TOTP({ secret: toSecret(secret), ...ALGORITHM });
  const delta = totp.validate({ token: code, timestamp: now, window: WINDOW });
  return delta === null ? null : Math.floor(now / 1000 / PERIOD_SECONDS) + delta;
}

function toSecret(bytes: Uint8Array): Secret {
  return new Secret({ buffer: new Uint8Array(bytes).buffer });
}

type SealedKey = Pick<typeof authenticatorApps.$inferSelect, 'sealedKey' | 'keyId'>;

const KEY_ID_LENGTH = 12;

type SealingKey = { id: string; key: Uint8Array };

/** Returns the keys in the order of the secrets. The first key seals, and all keys can open. */
function getKeys(secrets: readonly string[]): SealingKey[] {
  return deriveKeys(secrets, 'second-factor/key').map((key) => ({
    id: digest(Buffer.from(key).toString('base64url')).slice(0, KEY_ID_LENGTH),
    key,
  }));
}

export function getKeyIds(secrets = env().SECOND_FACTOR_SECRET): string[] {
  return getKeys(secrets).map(({ id }) => id);
}

/**
 * Seals the key of an authenticator app for one account (JWE, RFC 7516; `dir`, A256GCM). It does not open in another
 * account's row.
 */
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
 * @returns `resealed`: the key sealed by the first secret, to be stored, if another secret had sealed it
 * @throws Error if no configured secret opens it
 */
export async function openKey(
  { sealedKey, keyId }: SealedKey,
  uid: string,
  secrets: readonly string[] = env().SECOND_FACTOR_SECRET,
): Promise<{ secret: Uint8Array; resealed: SealedKey | null }> {
  const keys = getKeys(secrets);
  const found = keys.find(({ id }) => id === keyId);
  if (!found) throw new Error(`No secret of SECOND_FACTOR_SECRET has sealed the key of an authenticator app: ${keyId}`);
  // Our code wrote the stored value, but the account comes from the request.
  const jwe = { ...(sealedKey as FlattenedJWE), aad: Buffer.from(uid).toString('base64url') };
  const options = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] };
  const { plaintext: secret } = await flattenedDecrypt(jwe, found.key, options);
  return { secret, resealed: found === keys[0] ? null : await sealKey(secret, uid, secrets) };
}

/**
 * Refuses to start without a secret that has sealed stored keys of authenticator apps, because those apps would stop
 * working. While the database is away, this check is skipped.
 * @returns problems of the configuration
 */
export async function findKeyProblem(): Promise<readonly string[]> {
  try {
    const unknown = await findUnknownKey(await getRecords(), getKeyIds());
    if (unknown === null) return [];
    const remedy = 'add the secret that sealed them to the list: docs/deploy/second-factor.md';
    return [`SECOND_FACTOR_SECRET: opens no key ${unknown}, and there are authenticator apps with it: ${remedy}`];
  } catch (error) {
    if (!isRecordsError(error)) throw error;
    // The code that opens the database reports an outage.
    if (!error.isAway)
      log().warn({ err: error }, 'whether there are authenticator apps of another secret cannot be read');
    return [];
  }
}

/**
 * Returns the key id of an active app that none of these secrets sealed, or null. It ignores apps that are being set
 * up, because their owners can begin again.
 */
function findUnknownKey(records: Records, keyIds: readonly string[]): Promise<string | null> {
  return records.transact(async (tx) => {
    const isOther = keyIds.length === 0 ? undefined : notInArray(authenticatorApps.keyId, [...keyIds]);
    const [other] = await tx
      .select({ keyId: authenticatorApps.keyId })
      .from(authenticatorApps)
      .where(and(isNotNull(authenticatorApps.confirmedAt), isOther))
      .orderBy(desc(authenticatorApps.createdAt))
      .limit(1);
    return other?.keyId ?? null;
  });
}

type StoredApp = typeof authenticatorApps.$inferSelect;
/** `apps`: apps that are on. `newApp`: the app that is being set up. */
type TotpState = { apps: StoredApp[]; newApp: StoredApp | null };
/** A correct code of an app that is being set up, with its time step. */
export type CheckedApp = { uid: string; id: string; at: Date; step: number };

/** Codes of authenticator apps (RFC 6238). */
export const totp = {
  name: 'totp',
  isGuessable: true,
  usedKind: null,
  read,
  describe: ({ apps }) => ({
    apps: apps.map(({ id, confirmedAt, createdAt, lastUsedAt }) => ({
      id,
      createdAt: (confirmedAt ?? createdAt).toISOString(),
      lastUsedAt: lastUsedAt?.toISOString() ?? null,
    })),
  }),
  countLeft: () => null,
  isLeftWithout: ({ apps }, isSuspect) => apps.some((app) => !isSuspect(toAddition(app))),
  enroll: { begin, check, turnOn },
  verify: ({ apps }, { code }, { uid, at }) => verify(apps, code, uid, at),
  async remove(tx, uid, which) {
    const removed = await tx
      .delete(authenticatorApps)
      .where(and(eq(authenticatorApps.uid, uid), await toCondition(tx, uid, which)))
      .returning({ isOn: isNotNull(authenticatorApps.confirmedAt) });
    return removed.filter(({ isOn }) => isOn).map(() => 'factor-app-removed' as const);
  },
} as const satisfies FactorKind<TotpState, NewApp, CheckedApp, null>;

async function read(tx: Tx, uid: string): Promise<TotpState> {
  // Bounded: an account has a limited number of apps.
  const apps = await tx
    .select()
    .from(authenticatorApps)
    .where(eq(authenticatorApps.uid, uid))
    .orderBy(asc(authenticatorApps.createdAt));
  return {
    apps: apps.filter(({ confirmedAt }) => confirmedAt !== null),
    newApp: apps.find(({ confirmedAt }) => confirmedAt === null) ?? null,
  };
}

/**
 * Drops an earlier set-up, with the recovery codes that came with it.
 * @throws ApiProblem `factor-limit`
 */
async function begin({ uid, email, issuer }: Enrollee): Promise<NewApp> {
  const id = randomUUID();
  const secret = createSecret();
  const sealed = await sealKey(secret, uid);
  const at = new Date();
  const begun = await withRecordsInTime((records) =>
    writeAboutAccount(records, { uid, at }, async (tx) => {
      const { apps } = await read(tx, uid);
      if (apps.length >= MAX_APPS) return false;
      await tx.delete(authenticatorApps).where(isUnconfirmed(uid));
      if (apps.length === 0) await dropNewCodes(tx, uid);
      await tx.insert(authenticatorApps).values({ ...sealed, id, uid, createdAt: at });
      return true;
    }),
  );
  if (!begun) throw new ApiProblem('factor-limit');
  return { id, ...describeApp(secret, { issuer, label: email ?? uid }) };
}

/**
 * @param owner `app`: id of the set-up that the code is for, if the caller names it
 * @throws ApiProblem as `Factor.enroll.check`; `factor-replaced` if another set-up was begun since
 */
async function check(
  { uid, at, app }: { uid: string; at: Date; app?: string | undefined },
  typed: string,
  entitle?: (state: TotpState) => Promise<void>,
): Promise<CheckedApp> {
  const state = await transactInTime((tx) => read(tx, uid));
  const { newApp } = state;
  if (newApp === null || at.getTime() - newApp.createdAt.getTime() > SETUP_MS) throw new ApiProblem('code-expired');
  if (app !== undefined && app !== newApp.id) throw new ApiProblem('factor-replaced');
  const { secret } = await openKey(newApp, uid);
  const step = findStep(secret, typed, at.getTime());
  if (step === null) throw new ApiProblem('code-wrong');
  await entitle?.(state);
  const { id } = newApp;
  const isChecked = await withRecordsInTime((records) =>
    writeAboutKnownAccount(records, uid, async (tx) => {
      const checked = await tx
        .update(authenticatorApps)
        .set({ lastStep: step, checkedAt: at })
        .where(and(eq(authenticatorApps.id, id), isUnconfirmed(uid), isOlder(step)))
        .returning();
      return checked.length > 0;
    }),
  );
  // The app is gone, or this code was already used.
  if (isChecked !== true) throw new ApiProblem('code-used');
  return { uid, id, at, step };
}

async function turnOn(
  tx: Tx,
  { uid, id, at }: Pick<CheckedApp, 'uid' | 'id' | 'at'>,
  addedIn: string | null,
): Promise<boolean> {
  const isIt = and(eq(authenticatorApps.id, id), isUnconfirmed(uid));
  return (await tx.update(authenticatorApps).set({ confirmedAt: at, addedIn }).where(isIt).returning()).length > 0;
}

/**
 * Two apps can have the same code at the same time. If one app has already used it, the other app may still accept it.
 */
async function verify(apps: readonly StoredApp[], code: string, uid: string, at: Date): Promise<Verdict> {
  let isUsed = false;
  for (const app of apps) {
    const { secret, resealed } = await openKey(app, uid);
    const step = findStep(secret, code, at.getTime());
    if (step === null) continue;
    if (app.lastStep === null || app.lastStep < step)
      return { code: 'right', use: (tx, usedAt) => useUp(tx, { uid, id: app.id, at: usedAt, step }, resealed) };
    isUsed = true;
  }
  return { code: isUsed ? 'used' : 'wrong' };
}

async function useUp(tx: Tx, { uid, id, at, step }: CheckedApp, resealed: SealedKey | null): Promise<boolean> {
  const used = await tx
    .update(authenticatorApps)
    .set({ lastStep: step, lastUsedAt: at, ...resealed })
    .where(and(eq(authenticatorApps.id, id), eq(authenticatorApps.uid, uid), isOlder(step)))
    .returning();
  return used.length > 0;
}

function isUnconfirmed(uid: string) {
  return and(eq(authenticatorApps.uid, uid), isNull(authenticatorApps.confirmedAt));
}

/** The row alone prevents the reuse of a code. The account's lock only keeps attempts in order. */
function isOlder(step: number) {
  return or(isNull(authenticatorApps.lastStep), lt(authenticatorApps.lastStep, step));
}

async function toCondition(tx: Tx, uid: string, which: Removed) {
  if (which === 'all') return undefined;
  if ('id' in which) return and(eq(authenticatorApps.id, which.id), isNotNull(authenticatorApps.confirmedAt));
  const suspect = (await read(tx, uid)).apps.filter((app) => which.isSuspect(toAddition(app)));
  const ids = suspect.map(({ id }) => id);
  return or(isNull(authenticatorApps.confirmedAt), inArray(authenticatorApps.id, ids));
}

function toAddition({ addedIn, confirmedAt, createdAt }: StoredApp) {
  return { addedIn, at: confirmedAt ?? createdAt };
}
