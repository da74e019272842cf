import { and, eq, gte, isNull, ne, or } from 'drizzle-orm';
import { randomUUID } from 'node:crypto';
import { ApiProblem } from '@/lib/shared/problem';
import type { ClientDescription } from '@/lib/server/runtime';
import {
  consumeLimit,
  RECORDS_TIMEOUT_MS,
  recoveryCodes as table,
  type Tx,
  transactInTime,
  withRecords,
  writeAboutAccount,
  writeAboutKnownAccount,
} from '@/lib/server/storage';
import { SETUP_MS, type Factor, type Removed, type Verdict } from '../factor';
import { createRecoveryCodes, digestRecoveryCode, readRecoveryCode } from './codes';

type StoredRecoveryCode = typeof table.$inferSelect;
/** `codes` and `usedCodes` that are in force; `newCodes`: those that are being set up. */
type RecoveryCodesState = Record<'codes' | 'usedCodes' | 'newCodes', StoredRecoveryCode[]>;
type Owner = { uid: string; client: ClientDescription };
/** The new code that was typed, with the salt of its set. `since`: codes and app were begun since then. */
export type CheckedCode = Pick<StoredRecoveryCode, 'uid' | 'salt' | 'digest'> & { at: Date; since: Date };
/** A code that was typed, hashed as those of its set are. */
type HashedCode = Pick<StoredRecoveryCode, 'salt' | 'digest'>;

/** A set of codes that are used once each. A new set is in force when its owner has typed one of its codes. */
export const recoveryCodes = {
  name: 'recovery-code',
  field: 'recoveryCode',
  // 80 bits.
  isGuessable: false,
  usedKind: 'recovery-code-used',
  read,
  describe: ({ codes }) => ({ codesLeft: codes.length }),
  countLeft: ({ codes }) => codes.length - 1,
  enroll: { begin: (enrollee) => begin(enrollee), check, turnOn },
  /** A code costs as much as a password to compare. */
  async prepare({ codes, usedCodes }, typed, owner) {
    const code = readRecoveryCode(typed);
    const salt = [...codes, ...usedCodes][0]?.salt;
    if (code === null || salt === undefined) return null;
    return { salt, digest: await compareCode(owner, { code, salt }) };
  },
  verify: ({ codes, usedCodes }, { prepared }, { uid }) =>
    Promise.resolve(verify([...codes, ...usedCodes], prepared, uid)),
  async remove(tx, uid, which) {
    if (which === 'all' || !('id' in which)) await tx.delete(table).where(and(eq(table.uid, uid), toCondition(which)));
    return [];
  },
} as const satisfies Factor<RecoveryCodesState, string[], CheckedCode, HashedCode>;

async function read(tx: Tx, uid: string): Promise<RecoveryCodesState> {
  // Bounded: an account has two sets of recovery codes at most.
  const codes = await tx.select().from(table).where(eq(table.uid, uid));
  return {
    codes: codes.filter(({ confirmedAt, usedAt }) => confirmedAt !== null && usedAt === null),
    usedCodes: codes.filter(({ usedAt }) => usedAt !== null),
    newCodes: codes.filter(({ confirmedAt }) => confirmedAt === null),
  };
}

/**
 * A new set, which replaces one that is not in force.
 * @param isWanted read in the transaction that keeps it
 * @throws ApiProblem `too-many-requests`; `code-expired` when it is not wanted any more
 */
export async function begin({ uid, client }: Owner, isWanted?: (tx: Tx) => Promise<boolean>): Promise<string[]> {
  const { shown, stored } = await createRecoveryCodes(client);
  const at = new Date();
  const rows = stored.digests.map((digest) => ({ id: randomUUID(), uid, salt: stored.salt, digest, createdAt: at }));
  const write = async (tx: Tx) => {
    if (isWanted !== undefined && !(await isWanted(tx))) return false;
    await dropNewCodes(tx, uid);
    await tx.insert(table).values(rows);
    return true;
  };
  const isKept = await withRecords(
    (records) =>
      isWanted === undefined
        ? writeAboutAccount(records, { uid, at }, write)
        : writeAboutKnownAccount(records, uid, write),
    RECORDS_TIMEOUT_MS,
  );
  if (isKept !== true) throw new ApiProblem('code-expired');
  return shown;
}

export async function dropNewCodes(tx: Tx, uid: string): Promise<void> {
  await tx.delete(table).where(and(eq(table.uid, uid), isNull(table.confirmedAt)));
}

async function check(
  { uid, client, at }: { uid: string; client: () => ClientDescription; at: Date },
  typed: string,
): Promise<CheckedCode> {
  const since = new Date(at.getTime() - SETUP_MS);
  const code = readRecoveryCode(typed);
  const { newCodes } = await transactInTime((tx) => read(tx, uid));
  const [first] = newCodes;
  if (!first || first.createdAt < since) throw new ApiProblem('code-expired');
  const { salt } = first;
  const digest = code === null ? null : await compareCode({ uid, client: client() }, { code, salt });
  if (digest === null || !newCodes.some((own) => own.digest === digest)) throw new ApiProblem('code-wrong');
  return { uid, salt, digest, at, since };
}

/** Puts the set in force; the one before is gone. */
async function turnOn(tx: Tx, checked: CheckedCode): Promise<boolean> {
  if (!isOpen(await read(tx, checked.uid), checked)) return false;
  const { uid, salt, at } = checked;
  await tx.delete(table).where(and(eq(table.uid, uid), ne(table.salt, salt)));
  await tx.update(table).set({ confirmedAt: at }).where(eq(table.uid, uid));
  return true;
}

/** Whether a code that was typed is still of the set that waits for it. */
export function isOpen({ newCodes }: RecoveryCodesState, { digest, since }: CheckedCode): boolean {
  return newCodes.some((code) => code.digest === digest && code.createdAt >= since);
}

function verify(codes: readonly StoredRecoveryCode[], typed: HashedCode | null, uid: string): Verdict {
  const found = codes.find(({ salt, digest }) => salt === typed?.salt && digest === typed.digest);
  if (!found) return { code: 'wrong' };
  if (found.usedAt !== null) return { code: 'used' };
  return { code: 'right', use: (tx, at) => useUp(tx, { uid, id: found.id, at }) };
}

async function useUp(tx: Tx, { uid, id, at }: { uid: string; id: string; at: Date }): Promise<boolean> {
  const isFree = and(eq(table.id, id), eq(table.uid, uid), isNull(table.usedAt));
  return (await tx.update(table).set({ usedAt: at }).where(isFree).returning()).length > 0;
}

/**
 * Hashes a code that was typed, to be compared; counted first.
 * @throws ApiProblem `too-many-requests`
 */
async function compareCode({ uid, client }: Owner, { code, salt }: { code: string; salt: string }): Promise<string> {
  await consumeLimit('compare-recovery-code', `${uid} ${client.network ?? 'unknown'}`);
  return digestRecoveryCode(code, salt, client);
}

function toCondition(which: Exclude<Removed, { id: string }>) {
  return which === 'all' ? undefined : or(isNull(table.confirmedAt), gte(table.confirmedAt, which.since));
}
