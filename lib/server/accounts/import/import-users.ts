import { createHash } from 'node:crypto';
import type { Auth, UserImportRecord, UserImportOptions } from 'firebase-admin/auth';
import { z } from 'zod';
import { readRow, uidFor, type FileRow, type RowOptions } from './rows';

/** The identity provider imports at most 1000 users per call, and looks up at most 100. */
const BATCH = 1_000;
const LOOKUP = 100;

/** `present`: an account with this id or email already exists and is left unchanged. */
export type Outcome = 'imported' | 'present' | 'wrong' | 'failed';
/**
 * Result of a row, by line of the file. It contains neither an email nor a password hash. `content`: absent in a dry
 * run, which imports no users.
 */
export type Entry = {
  line: number;
  outcome: Outcome;
  uid?: string;
  reason?: string;
  content?: string | undefined;
};

type ImportOptions = RowOptions & {
  auth: Pick<Auth, 'getUsers' | 'importUsers'>;
  /** The project to import to. An import to another project does not count as done here. */
  project: string;
  /** Validates all rows and writes no account. */
  dryRun: boolean;
  /** The contents that an earlier run has processed, with their number. */
  done: Map<string, number>;
  /** Called with the imported users of a batch. */
  onImported: (users: readonly UserImportRecord[]) => Promise<void>;
  /** Called after each completed batch. */
  onBatch: (entries: Entry[], withoutPassword: number) => void;
};

type ImportedUser = { line: number; content: string | undefined; user: UserImportRecord };
/**
 * `seen`: ids and emails of all rows so far, with an `@` before ids that the file gives. `settings`: hash of the import
 * settings.
 */
type Progress = { lines: number; earlier: number; seen: Set<string>; settings: string };

/**
 * Imports users from a previous system. It does not change existing accounts, so the import can be repeated. It
 * recognizes a row by its content, because line numbers change when a file is corrected.
 * @returns the number of rows, and the number that an earlier run has processed
 * @throws any error of the identity provider for a whole batch; batches reported by `onBatch` are complete by then
 */
export async function importUsers(
  rows: AsyncIterable<FileRow> | Iterable<FileRow>,
  options: ImportOptions,
): Promise<{ lines: number; earlier: number }> {
  const { project, encoding, legacy, hash } = options;
  // A row that was imported with a wrong parameter is not done.
  const settings = hashText(JSON.stringify([project, encoding, legacy, hash]));
  const progress: Progress = { lines: 0, earlier: 0, seen: new Set(), settings };
  let batch: FileRow[] = [];
  for await (const row of rows) {
    progress.lines += 1;
    batch.push(row);
    if (batch.length < BATCH) continue;
    await importBatch(batch, progress, options);
    batch = [];
  }
  if (batch.length > 0) await importBatch(batch, progress, options);
  return { lines: progress.lines, earlier: progress.earlier };
}

async function importBatch(rows: FileRow[], progress: Progress, options: ImportOptions): Promise<void> {
  const { entries, users } = readRows(rows, progress, options);
  const present = await findExisting(
    users.map(({ user }) => user),
    options.auth,
  );
  const isPresent = ({ uid, email }: UserImportRecord) => present.has(uid) || present.has(email ?? '');
  const fresh = users.filter(({ user }) => !isPresent(user));
  for (const { line, content, user } of users)
    if (isPresent(user)) entries.push({ line, outcome: 'present', uid: user.uid, content });
  const sent = options.dryRun ? toEntries(fresh, new Map()) : await send(fresh, options);
  entries.push(...sent);
  const imported = new Set(sent.filter(({ outcome }) => outcome === 'imported').map(({ uid }) => uid));
  if (!options.dryRun) await options.onImported(fresh.map(({ user }) => user).filter(({ uid }) => imported.has(uid)));
  const withoutPassword = fresh.filter(({ user }) => !user.passwordHash).length;
  options.onBatch(
    entries.sort((a, b) => a.line - b.line),
    withoutPassword,
  );
}

function readRows(rows: FileRow[], progress: Progress, options: ImportOptions) {
  const entries: Entry[] = [];
  const users: ImportedUser[] = [];
  for (const row of rows) {
    const { line } = row;
    const read = 'problem' in row ? row : readRow(row.row, options);
    if ('problem' in read) {
      entries.push({ line, outcome: 'wrong', reason: read.problem });
      continue;
    }
    const { user } = read;
    const { uid, email = '' } = user;
    const derived = uidFor(email);
    // Millions of names take memory, so an id derived from the email represents both.
    const names = uid === derived ? [derived] : [`@${uid}`, email];
    const content = 'row' in row && !options.dryRun ? hashContent(row.row, progress.settings) : undefined;
    if ([derived, uid, `@${uid}`, email].some((name) => progress.seen.has(name)))
      entries.push({ line, outcome: 'wrong', reason: 'its uid or email occurs in an earlier row' });
    else if (takeDone(options.done, content)) progress.earlier += 1;
    else users.push({ line, content, user });
    names.forEach((name) => progress.seen.add(name));
  }
  return { entries, users };
}

function takeDone(done: Map<string, number>, content = ''): boolean {
  const left = done.get(content) ?? 0;
  done.set(content, left - 1);
  return left > 0;
}

/** Identifies the content of a row and its import settings, regardless of the order of its columns. */
function hashContent(row: Record<string, unknown>, settings: string): string {
  const cells = Object.entries(row).filter(([, value]) => value !== '' && value !== undefined);
  return hashText(JSON.stringify([settings, cells.sort(([a], [b]) => (a < b ? -1 : 1))]));
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 32);
}

/** Returns the ids and emails of these users that already have an account. */
async function findExisting(users: UserImportRecord[], auth: ImportOptions['auth']): Promise<Set<string>> {
  const found = new Set<string>();
  const questions = users.flatMap(({ uid, email = '' }) => [{ uid }, { email }]);
  for (let i = 0; i < questions.length; i += LOOKUP) {
    const { users } = await auth.getUsers(questions.slice(i, i + LOOKUP));
    for (const { uid, email } of users) [uid, email ?? uid].forEach((name) => found.add(name));
  }
  return found;
}

async function send(users: ImportedUser[], { auth, hash }: ImportOptions): Promise<Entry[]> {
  if (users.length === 0) return [];
  const hashed = users.some(({ user }) => user.passwordHash);
  const { errors } = await auth.importUsers(
    users.map(({ user }) => user),
    hashed ? hash : undefined,
  );
  return toEntries(users, new Map(errors.map(({ index, error }) => [index, error.code])));
}

function toEntries(users: ImportedUser[], failures: Map<number, string>): Entry[] {
  return users.map(({ line, content, user: { uid } }, i) => {
    const reason = failures.get(i);
    return reason === undefined
      ? { line, outcome: 'imported', uid, content }
      : { line, outcome: 'failed', uid, reason, content };
  });
}

const rounds = (atLeast: number, atMost: number) => z.coerce.number().int().min(atLeast).max(atMost);
const bytes = z
  .base64()
  .min(4)
  .transform((text) => Buffer.from(text, 'base64'));
/** The name of each parameter on the operator's command line. */
const NAMES: Record<string, string> = {
  key: 'IMPORT_HASH_KEY (a variable, in base64)',
  saltSeparator: '--salt-separator',
  rounds: '--rounds',
  memoryCost: '--memory-cost',
  blockSize: '--block-size',
  parallelization: '--parallelization',
  derivedKeyLength: '--derived-key-length',
};

const keyed = z.object({ key: bytes });
const repeated = (atLeast: number, atMost: number) => z.object({ rounds: rounds(atLeast, atMost) });

/** Parameters that the identity provider requires for each hash algorithm. */
const PARAMETERS = {
  BCRYPT: z.object({}),
  SCRYPT: z.object({ key: bytes, saltSeparator: bytes, rounds: rounds(1, 8), memoryCost: rounds(1, 14) }),
  STANDARD_SCRYPT: z.object({
    memoryCost: rounds(1, 2 ** 20),
    blockSize: rounds(1, 64),
    parallelization: rounds(1, 16),
    derivedKeyLength: rounds(1, 256),
  }),
  HMAC_SHA512: keyed,
  HMAC_SHA256: keyed,
  HMAC_SHA1: keyed,
  HMAC_MD5: keyed,
  PBKDF2_SHA256: repeated(0, 120_000),
  PBKDF_SHA1: repeated(0, 120_000),
  SHA512: repeated(1, 8_192),
  SHA256: repeated(1, 8_192),
  SHA1: repeated(1, 8_192),
  MD5: repeated(0, 8_192),
} as const;

export const HASH_ALGORITHMS = Object.keys(PARAMETERS) as (keyof typeof PARAMETERS)[];

/**
 * Validates the hash options.
 * @param given parameters as written on the command line
 * @throws Error with the name of each missing or invalid parameter
 */
export function hashOptions(algorithm: string, given: Record<string, unknown>): UserImportOptions {
  const supported = HASH_ALGORITHMS.find((name) => name === algorithm);
  if (!supported) throw new Error(`Unknown hash algorithm. Supported: ${HASH_ALGORITHMS.join(', ')}`);
  const { success, data, error } = PARAMETERS[supported].safeParse(given);
  if (success) return { hash: { algorithm: supported, ...data } };
  const names = error.issues.map(({ path }) => NAMES[path.join('.')] ?? path.join('.'));
  throw new Error(`${supported} needs: ${names.join(', ')}`);
}
