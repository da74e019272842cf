import { createReadStream, readFileSync, statSync, appendFileSync, realpathSync, truncateSync } from 'node:fs';
import type { UserImportRecord } from 'firebase-admin/auth';
import { z } from 'zod';
import { env, escapeControls } from '@/lib/server/runtime';
import { getIdentityAdmin } from '@/lib/server/identity';
import { storeProofs } from '@/lib/server/identity';
import { chooseRecords, getRecords } from '@/lib/server/storage';
import { readCsv, readJsonUsers, type FileRow, type RowOptions } from './rows';
import { importUsers, type Outcome, type Entry } from './import-users';

/** Number of reasons shown on the screen. The report has all of them. */
const MAX_REASONS = 10;

type Options = RowOptions & {
  dryRun: boolean;
  /** Defaults to a path next to the file of users. */
  report?: string | undefined;
  /** Columns to leave out. */
  ignored: readonly string[];
};
type Counts = Record<Outcome, number>;

/**
 * Imports a file of users, and records the outcome of each line.
 * @param file CSV with a header line, or JSON with an array of users
 * @returns whether every user of the file has an account now
 * @throws Error if the file, its header or its report cannot be used
 */
export async function importFile(file: string, options: Options): Promise<boolean> {
  const { dryRun, ignored, encoding, legacy, hash } = options;
  const bytes = withFile(`${file} cannot be read`, () => statSync(file).size);
  const reportFile = options.report ?? `${file}.report${dryRun ? '.dry-run' : ''}.jsonl`;
  const report = openReport(reportFile, file, dryRun);

  const counts: Counts = { imported: 0, present: 0, wrong: 0, failed: 0 };
  let [withoutPassword, shown, tenth] = [0, 0, 0];
  const reader = openRows(file, ignored);
  const { lines, earlier } = await importUsers(reader.rows, {
    auth: getIdentityAdmin(),
    project: `${env().NEXT_PUBLIC_FIREBASE_PROJECT_ID} ${env().FIREBASE_AUTH_EMULATOR_HOST ?? ''}`,
    ...{ encoding, legacy, hash, dryRun },
    done: report.done,
    onImported: storeOwners,
    onBatch: (entries, unprotected) => {
      report.append(entries);
      withoutPassword += unprotected;
      for (const { line, outcome, reason } of entries) {
        counts[outcome] += 1;
        if (reason === undefined || (shown += 1) > MAX_REASONS) continue;
        console.error(escapeControls(`${file}, ${reader.unit} ${String(line)}: ${outcome}: ${reason}`));
      }
      const part = Math.floor((10 * reader.read()) / bytes);
      if (part > tenth) console.error(`${String(part * 10)} % read: ${formatCounts(counts)}`);
      tenth = part;
    },
  });
  if (hasDatabase()) await (await getRecords()).close();
  if (shown > MAX_REASONS) console.error(`… and ${String(shown - MAX_REASONS)} more, in ${reportFile}`);
  const before = earlier > 0 ? `; ${String(earlier)} done by an earlier run` : '';
  console.log(
    `${dryRun ? 'Would be done' : 'Done'}: ${formatCounts(counts)}${before}. Result of each line: ${reportFile}`,
  );
  if (withoutPassword > 0) console.log(`Without a password: ${String(withoutPassword)} of the imported.`);
  return isComplete(file, { lines, earlier, counts });
}

/** The embedded database belongs to a running app. There, the first sign-in of each user stores the email. */
const hasDatabase = () => chooseRecords(env())?.kind === 'postgres';

/**
 * Stores the owners of emails on the first day, so that an owner is found even if an attacker with the password changes
 * the account's email.
 */
async function storeOwners(users: readonly UserImportRecord[]): Promise<void> {
  const owners = users.flatMap(({ uid, email, emailVerified }) => (email && emailVerified ? [{ uid, email }] : []));
  if (hasDatabase() && owners.length > 0) await storeProofs(owners);
}

/** Checks that every user of the file has a result. An empty file is a mistake. */
function isComplete(file: string, result: { lines: number; earlier: number; counts: Counts }): boolean {
  const { lines, earlier, counts } = result;
  const { imported, present, wrong, failed } = counts;
  const missing = lines - earlier - imported - present - wrong - failed;
  if (lines === 0) console.error(`${file} contains no users.`);
  if (missing !== 0) console.error(`${String(missing)} rows of ${file} have no result.`);
  return lines > 0 && wrong + failed + missing === 0;
}

function formatCounts({ imported, present, wrong, failed }: Counts): string {
  return `${String(imported)} imported, ${String(present)} there already, ${String(wrong)} wrong, ${String(failed)} failed`;
}

type Reader = {
  rows: AsyncIterable<FileRow> | Iterable<FileRow>;
  /** Returns the number of bytes read so far. */
  read: () => number;
  unit: string;
};

/** @param ignored columns to leave out */
function openRows(file: string, ignored: readonly string[]): Reader {
  if (file.endsWith('.json')) {
    const bytes = withFile(`${file} cannot be read`, () => readFileSync(file));
    return { rows: readJsonUsers(bytes, ignored), read: () => bytes.length, unit: 'user' };
  }
  const stream = createReadStream(file);
  return { rows: readCsv(readChunks(stream, file), ignored), read: () => stream.bytesRead, unit: 'line' };
}

async function* readChunks(stream: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  try {
    yield* stream;
  } catch (error) {
    throw toFileError(`${file} cannot be read`, error);
  }
}

const entrySchema = z.object({
  line: z.number(),
  outcome: z.enum(['imported', 'present', 'wrong', 'failed']),
  content: z.string().optional(),
});

/** Every line of a report begins with this text (`Entry`). */
const BEGINNING = '{"line":';
const NEWLINE = 0x0a;

type Report = {
  /** The contents that need no second examination, with their number. Rows that were wrong or failed are retried. */
  done: Map<string, number>;
  /** @throws Error with a message for operators, also if the disk is full */
  append: (entries: readonly Entry[]) => void;
};

/**
 * Opens the report of an import. It drops an incomplete last line, left by a full disk or an interruption, and looks up
 * its user again. The report of a dry run starts over, because it has no result to continue from.
 * @param input the file of users, which is never the report
 * @throws Error if the file is not a report, if a dry run would overwrite the report of an import, or if a line cannot
 *   be read
 */
function openReport(path: string, input: string, dryRun: boolean): Report {
  const append = (entries: readonly Entry[]) => {
    const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    const action = `Up to here the users are imported. Make ${path} writable, then run it again: users without a result are looked up again.`;
    withFile(`The report ${path} cannot be written`, () => appendFileSync(path, text), action);
  };
  const stats = withFile(`The report ${path} cannot be used`, () => statSync(path, { throwIfNoEntry: false }));
  if (stats?.isDirectory()) throw new Error(`The report ${path} cannot be used: it is a folder.`);
  // A device or a pipe has no earlier entries.
  if (!stats?.isFile()) return { done: new Map(), append };
  if (realpathSync(path) === realpathSync(input))
    throw new Error(`${path} is the file of users: choose another one with --report.`);
  const bytes = withFile(`The report ${path} cannot be read`, () => readFileSync(path));
  const earlier: Earlier = { lines: 0, isOfImport: false, done: new Map() };
  const end = readEntries(path, bytes, earlier);
  const last = bytes.toString('utf8', end);
  assertBeginning(path, last, earlier.lines + 1);
  const cutOff = parseEntry(last);
  if (cutOff !== null) addEntry(earlier, cutOff);
  if (dryRun && earlier.isOfImport)
    throw new Error(`${path} is the report of an import: choose another file with --report, or delete it.`);
  const repair = () => {
    if (!earlier.isOfImport) truncateSync(path);
    else if (cutOff === null) truncateSync(path, end);
    else appendFileSync(path, '\n');
  };
  if (!earlier.isOfImport || last !== '') withFile(`The report ${path} cannot be written`, repair);
  return { done: earlier.done, append };
}

type ReportEntry = z.output<typeof entrySchema>;
/** The contents of an existing report. */
type Earlier = Pick<Report, 'done'> & { lines: number; isOfImport: boolean };

/** Reads line by line, because a report can have millions of lines. @returns where its last whole line ends */
function readEntries(path: string, bytes: Buffer, earlier: Earlier): number {
  let begin = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, begin)) {
    const line = bytes.toString('utf8', begin, end);
    const entry = parseEntry(line);
    earlier.lines += 1;
    if (entry === null) {
      assertBeginning(path, line, earlier.lines);
      throw new Error(
        `${path}, line ${String(earlier.lines)} cannot be read. Delete this line, then run it again: its users are looked up again.`,
      );
    }
    addEntry(earlier, entry);
    begin = end + 1;
  }
  return begin;
}

function addEntry(earlier: Earlier, { outcome, content }: ReportEntry): void {
  if (content === undefined) return;
  earlier.isOfImport = true;
  if (outcome === 'imported' || outcome === 'present') earlier.done.set(content, (earlier.done.get(content) ?? 0) + 1);
}

/** Refuses any other file, so that it is never changed. */
function assertBeginning(path: string, line: string, number: number): void {
  if (line.startsWith(BEGINNING) || BEGINNING.startsWith(line)) return;
  throw new Error(
    `${path}, line ${String(number)} is not of a report of this command: choose another file with --report, or delete the line if it is one.`,
  );
}

function parseEntry(line: string): ReportEntry | null {
  try {
    return entrySchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}

const WORDS: Record<string, string> = {
  ENOENT: 'there is no such file, or no such folder',
  EISDIR: 'it is a folder',
  EACCES: 'this user has no permission',
  EPERM: 'this user has no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be larger than the system allows',
};

/**
 * Runs a file operation.
 * @param failed what could not be done, such as `people.csv cannot be read`
 * @param action what the operator can do about it
 * @throws Error with a message for operators instead of the system's error
 */
function withFile<T>(failed: string, operate: () => T, action?: string): T {
  try {
    return operate();
  } catch (error) {
    throw toFileError(failed, error, action);
  }
}

/** Converts the error of a file operation to a message for operators. Other errors stay as they are. */
function toFileError(failed: string, error: unknown, action?: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (!(error instanceof Error) || code === undefined) return error;
  return new Error([`${failed}: ${WORDS[code] ?? code}.`, action].filter(Boolean).join(' '));
}
