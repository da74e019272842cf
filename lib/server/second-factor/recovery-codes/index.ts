import { randomBytes, randomInt, randomUUID, scrypt } from 'node:crypto';
import { CODE_ALPHABET, normalizeRecoveryCode, RECOVERY_CODE_LENGTH } from '@/lib/shared/account/typed-codes';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { and, eq, inArray, isNull, ne, or } from 'drizzle-orm';
import { FairSemaphore, env, type ClientDescription } from '@/lib/server/runtime';
import {
  consumeLimit,
  recoveryCodes as table,
  transactInTime,
  withRecordsInTime,
  writeAboutAccount,
  writeAboutKnownAccount,
  type Tx,
} from '@/lib/server/storage';
import { RECOVERY_CODE_COUNT } from '@/lib/shared/account/security';
import { ApiProblem } from '@/lib/shared/problem';
import { SETUP_MS, type FactorKind, type Removed, type Verdict } from '../factor';

const GROUP = 4;
const SALT_BYTES = 16;
const DIGEST_BYTES = 32;
/** RFC 7914. By default each attempt takes 16 MiB and about 45 ms. */
const getCost = () => ({ N: 2 ** env().RECOVERY_CODE_COST, r: 8, p: 1 });

const scryptAsync = promisify<string, Buffer, number, ReturnType<typeof getCost>, Buffer>(scrypt);

type Client = Pick<ClientDescription, 'network'>;

/** A set of codes as stored. */
type NewRecoveryCodes = { salt: string; digests: readonly string[] };

/**
 * Creates a new set, which takes about 450 ms of CPU time.
 * @returns the codes to show once, and what is stored of them
 * @throws ApiProblem of `queueDerivation`
 */
export async function createRecoveryCodes(client: Client): Promise<{ shown: string[]; stored: NewRecoveryCodes }> {
  const codes = Array.from({ length: RECOVERY_CODE_COUNT }, createCode);
  const salt = randomBytes(SALT_BYTES).toString('base64url');
  const digests = await queueDerivation(client, async () => {
    const derived: string[] = [];
    // Derive in sequence, because the set has a single place in the queue.
    for (const code of codes) derived.push(await derive(code, salt));
    return derived;
  });
  return { shown: codes.map(format), stored: { salt, digests } };
}

function createCode(): string {
  // 80 bits (NIST SP 800-63B-4, section 3.1.2.1: at least 64).
  return Array.from({ length: RECOVERY_CODE_LENGTH }, () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)]).join('');
}

function format(code: string): string {
  return (code.match(new RegExp(`.{${GROUP}}`, 'g')) ?? []).join('-');
}

/** Converts a typed recovery code to its stored spelling. Null if it cannot be a recovery code. */
export function readRecoveryCode(typed: string): string | null {
  const plain = normalizeRecoveryCode(typed);
  return plain.length === RECOVERY_CODE_LENGTH ? plain : null;
}

/**
 * @param salt salt of its set, base64url
 * @returns base64url
 * @throws ApiProblem of `queueDerivation`
 */
export function digestRecoveryCode(code: string, salt: string, client: Client): Promise<string> {
  return queueDerivation(client, () => derive(code, salt));
}

async function derive(code: string, salt: string): Promise<string> {
  return (await scryptAsync(code, Buffer.from(salt, 'base64url'), DIGEST_BYTES, getCost())).toString('base64url');
}

/** A CPU core is left for other work. The thread pool (4 threads) also serves files and name lookups. */
const MAX_RUNNING = Math.max(1, Math.min(2, availableParallelism() - 1));
/** A class that sets up its apps at the same time, from the same network. */
const MAX_OF_NETWORK = 8;
/** With this many set-ups, the last waits for about 10 s. */
const MAX_WAITING = 32;
/**
 * On a busy machine each derivation takes longer. This wait, in milliseconds, ends before the listener closes the
 * connection without a response.
 */
const MAX_WAIT_MS = 20_000;

const queue = new FairSemaphore({
  maxRunning: MAX_RUNNING,
  maxHeld: MAX_OF_NETWORK,
  maxWaiting: MAX_WAITING,
  maxWaitMs: MAX_WAIT_MS,
});

/**
 * Runs a slow derivation. Only API routes derive, so all derivations of the process share this queue. Before it runs, consume what entitles to it,
 * and hold no connection to the database.
 * @throws ApiProblem `too-many-requests`: immediately if too many run or wait for the client's network or overall, or
 *   if its turn comes too late
 */
function queueDerivation<T>({ network }: Client, derivation: () => Promise<T>): Promise<T> {
  return queue.run(network ?? 'unknown', derivation);
}

type StoredRecoveryCode = typeof table.$inferSelect;
/** `codes`, `usedCodes`: codes in force. `newCodes`: codes that are being set up. */
type RecoveryCodesState = Record<'codes' | 'usedCodes' | 'newCodes', StoredRecoveryCode[]>;
type Owner = { uid: string; client: ClientDescription };
/** The new code that was typed, with the salt of its set. `since`: codes and app were begun after this time. */
export type CheckedCode = Pick<StoredRecoveryCode, 'uid' | 'salt' | 'digest'> & { at: Date; since: Date };
/** A typed code, hashed with the salt of the stored set. */
type HashedCode = Pick<StoredRecoveryCode, 'salt' | 'digest'>;

/** A set of codes that can be used once each. A new set is in force after its owner has typed one of its codes. */
export const recoveryCodes = {
  name: 'recovery-code',
  // A code has 80 bits.
  isGuessable: false,
  usedKind: 'recovery-code-used',
  read,
  describe: ({ codes }) => ({ codesLeft: codes.length }),
  countLeft: ({ codes }) => codes.length - 1,
  isLeftWithout: ({ codes }, isSuspect) => codes.some((code) => !isSuspect(toAddition(code))),
  enroll: { begin: (enrollee) => begin(enrollee), check, turnOn },
  /** Comparing a code takes as much CPU time as comparing a password. */
  async prepare({ codes, usedCodes }, typed, owner) {
    const code = readRecoveryCode(typed);
    const salt = [...codes, ...usedCodes][0]?.salt;
    if (code === null || salt === undefined) return null;
    return { salt, digest: await compareCode(owner, { code, salt }) };
  },
  verify: ({ codes, usedCodes }, { prepared }, { uid }) =>
    Promise.resolve(verify([...codes, ...usedCodes], prepared, uid)),
  async remove(tx, uid, which) {
    if (which !== 'all' && 'id' in which) return [];
    await tx.delete(table).where(and(eq(table.uid, uid), await toCondition(tx, uid, which)));
    return [];
  },
} as const satisfies FactorKind<RecoveryCodesState, string[], CheckedCode, HashedCode>;

async function read(tx: Tx, uid: string): Promise<RecoveryCodesState> {
  // Bounded: an account has at most two sets of recovery codes.
  const codes = await tx.select().from(table).where(eq(table.uid, uid));
  return {
    codes: codes.filter(({ confirmedAt, usedAt }) => confirmedAt !== null && usedAt === null),
    usedCodes: codes.filter(({ usedAt }) => usedAt !== null),
    newCodes: codes.filter(({ confirmedAt }) => confirmedAt === null),
  };
}

/**
 * Creates a new set, which replaces a set that is not in force.
 * @param isWanted read in the transaction that stores the set
 * @throws ApiProblem `too-many-requests`; `code-expired` if the set is no longer wanted
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
  const isKept = await withRecordsInTime((records) =>
    isWanted === undefined
      ? writeAboutAccount(records, { uid, at }, write)
      : writeAboutKnownAccount(records, uid, write),
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

/** Puts the set in force and deletes the previous set. */
async function turnOn(tx: Tx, checked: CheckedCode, addedIn: string | null): Promise<boolean> {
  if (!isUnusedCode(await read(tx, checked.uid), checked)) return false;
  const { uid, salt, at } = checked;
  await tx.delete(table).where(and(eq(table.uid, uid), ne(table.salt, salt)));
  await tx.update(table).set({ confirmedAt: at, addedIn }).where(eq(table.uid, uid));
  return true;
}

/** Decides whether a typed code still belongs to the set that waits for confirmation. */
export function isUnusedCode({ newCodes }: RecoveryCodesState, { digest, since }: CheckedCode): boolean {
  return newCodes.some((code) => code.digest === digest && code.createdAt >= since);
}

function verify(codes: readonly StoredRecoveryCode[], typed: HashedCode | null, uid: string): Verdict {
  const found = codes.find(({ salt, digest }) => salt === typed?.salt && digest === typed.digest);
  if (!found) return { code: 'wrong' };
  if (found.usedAt !== null) return { code: 'used' };
  const { id } = found;
  return {
    code: 'right',
    use: (tx, at) => useUp(tx, { uid, id, at }),
    giveBack: (tx, usedAt) =>
      tx
        .update(table)
        .set({ usedAt: null })
        .where(and(eq(table.id, id), eq(table.uid, uid), eq(table.usedAt, usedAt))),
  };
}

async function useUp(tx: Tx, { uid, id, at }: { uid: string; id: string; at: Date }): Promise<boolean> {
  const isFree = and(eq(table.id, id), eq(table.uid, uid), isNull(table.usedAt));
  return (await tx.update(table).set({ usedAt: at }).where(isFree).returning()).length > 0;
}

/** Hashes a typed code for comparison. It counts the attempt first. @throws ApiProblem `too-many-requests` */
async function compareCode({ uid, client }: Owner, { code, salt }: { code: string; salt: string }): Promise<string> {
  await consumeLimit('compare-recovery-code', `${uid} ${client.network ?? 'unknown'}`);
  return digestRecoveryCode(code, salt, client);
}

async function toCondition(tx: Tx, uid: string, which: Exclude<Removed, { id: string }>) {
  if (which === 'all') return undefined;
  const { codes, usedCodes } = await read(tx, uid);
  const suspect = [...codes, ...usedCodes].filter((code) => which.isSuspect(toAddition(code)));
  const ids = suspect.map(({ id }) => id);
  return or(isNull(table.confirmedAt), inArray(table.id, ids));
}

function toAddition({ addedIn, confirmedAt, createdAt }: StoredRecoveryCode) {
  return { addedIn, at: confirmedAt ?? createdAt };
}
