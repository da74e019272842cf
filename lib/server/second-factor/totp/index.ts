import { and, asc, eq, gte, isNotNull, isNull, lt, or } from 'drizzle-orm';
import { randomUUID } from 'node:crypto';
import { MAX_APPS, type NewApp } from '@/lib/shared/account/second-factor';
import { ApiProblem } from '@/lib/shared/problem';
import {
  authenticatorApps,
  RECORDS_TIMEOUT_MS,
  type Tx,
  transactInTime,
  withRecords,
  writeAboutAccount,
  writeAboutKnownAccount,
} from '@/lib/server/storage';
import { SETUP_MS, type Enrollee, type Factor, type Removed, type Verdict } from '../factor';
import { dropNewCodes } from '../recovery-codes';
import { createSecret, describeApp, findStep } from './algorithm';
import { openKey, sealKey, type SealedKey } from './keys';

type StoredApp = typeof authenticatorApps.$inferSelect;
/** `apps` that are on; `newApp`: the one that is being set up. */
type TotpState = { apps: StoredApp[]; newApp: StoredApp | null };
/** A right code of an app that is being set up: its time step. */
export type CheckedApp = { uid: string; id: string; at: Date; step: number };

/** Codes of authenticator apps (RFC 6238). */
export const totp = {
  name: 'totp',
  field: 'code',
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
  enroll: { begin, check, turnOn },
  verify: ({ apps }, { code }, { uid, at }) => verify(apps, code, uid, at),
  async remove(tx, uid, which) {
    const removed = await tx
      .delete(authenticatorApps)
      .where(and(eq(authenticatorApps.uid, uid), toCondition(which)))
      .returning({ isOn: isNotNull(authenticatorApps.confirmedAt) });
    return removed.filter(({ isOn }) => isOn).map(() => 'factor-app-removed' as const);
  },
} as const satisfies Factor<TotpState, NewApp, CheckedApp, null>;

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
 * One that was begun before is dropped, with the recovery codes that came with it.
 * @throws ApiProblem `factor-limit`
 */
async function begin({ uid, email, issuer }: Enrollee): Promise<NewApp> {
  const secret = createSecret();
  const sealed = await sealKey(secret, uid);
  const at = new Date();
  const begun = await withRecords(
    (records) =>
      writeAboutAccount(records, { uid, at }, async (tx) => {
        const { apps } = await read(tx, uid);
        if (apps.length >= MAX_APPS) return false;
        await tx.delete(authenticatorApps).where(isUnconfirmed(uid));
        if (apps.length === 0) await dropNewCodes(tx, uid);
        await tx.insert(authenticatorApps).values({ ...sealed, id: randomUUID(), uid, createdAt: at });
        return true;
      }),
    RECORDS_TIMEOUT_MS,
  );
  if (!begun) throw new ApiProblem('factor-limit');
  return describeApp(secret, { issuer, label: email ?? uid });
}

async function check(
  { uid, at }: { uid: string; at: Date },
  typed: string,
  entitle?: (state: TotpState) => Promise<void>,
): Promise<CheckedApp> {
  const state = await transactInTime((tx) => read(tx, uid));
  const { newApp } = state;
  if (newApp === null || at.getTime() - newApp.createdAt.getTime() > SETUP_MS) throw new ApiProblem('code-expired');
  const { secret } = await openKey(newApp, uid);
  const step = findStep(secret, typed, at.getTime());
  if (step === null) throw new ApiProblem('code-wrong');
  await entitle?.(state);
  const { id } = newApp;
  const isChecked = await withRecords(
    (records) =>
      writeAboutKnownAccount(records, uid, async (tx) => {
        const checked = await tx
          .update(authenticatorApps)
          .set({ lastStep: step, checkedAt: at })
          .where(and(eq(authenticatorApps.id, id), isUnconfirmed(uid), isOlder(step)))
          .returning();
        return checked.length > 0;
      }),
    RECORDS_TIMEOUT_MS,
  );
  // It is gone, or this code was used.
  if (isChecked !== true) throw new ApiProblem('code-used');
  return { uid, id, at, step };
}

async function turnOn(tx: Tx, { uid, id, at }: Pick<CheckedApp, 'uid' | 'id' | 'at'>): Promise<boolean> {
  const isIt = and(eq(authenticatorApps.id, id), isUnconfirmed(uid));
  return (await tx.update(authenticatorApps).set({ confirmedAt: at }).where(isIt).returning()).length > 0;
}

/** An app whose code was used may be one of two: the other one can have the same code at the same time. */
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

/** The row says by itself that a code is used: the lock of the account only keeps attempts in order. */
function isOlder(step: number) {
  return or(isNull(authenticatorApps.lastStep), lt(authenticatorApps.lastStep, step));
}

function toCondition(which: Removed) {
  if (which === 'all') return undefined;
  if ('id' in which) return and(eq(authenticatorApps.id, which.id), isNotNull(authenticatorApps.confirmedAt));
  return or(isNull(authenticatorApps.confirmedAt), gte(authenticatorApps.confirmedAt, which.since));
}
