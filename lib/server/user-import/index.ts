import type { Auth, UserImportOptions, UserImportRecord } from 'firebase-admin/auth';
import { readRow, type Encoding } from './rows';

/** The identity provider imports at most 1000 users per call, and looks up at most 100. */
const BATCH = 1_000;
const LOOKUP = 100;

export const OUTCOMES = ['imported', 'present', 'wrong', 'failed'] as const;
/** `present`: an account with this id or email already exists and is left unchanged. */
export type Outcome = (typeof OUTCOMES)[number];
/** Result of one row, by line of the file; contains no email and no hash. */
export type Entry = { line: number; outcome: Outcome; uid?: string; reason?: string };

export type ImportOptions = {
  auth: Pick<Auth, 'getUsers' | 'importUsers'>;
  encoding: Encoding;
  legacy: boolean;
  hash: UserImportOptions | undefined;
  /** Validates everything, writes nothing. */
  dryRun: boolean;
  /** Lines that an earlier run has processed. */
  done: ReadonlySet<number>;
  /** Called after each completed batch. */
  onBatch: (entries: Entry[]) => void;
};

type Row = { line: number; row: unknown };
type Person = { line: number; person: UserImportRecord };

/**
 * Imports users from a previous system. Existing accounts are not changed, so that the import can be repeated.
 * @throws any error of the identity provider for a whole batch; batches reported by `onBatch` are complete by then
 */
export async function importUsers(rows: AsyncIterable<Row> | Iterable<Row>, options: ImportOptions): Promise<void> {
  const seen = new Set<string>();
  let batch: Row[] = [];
  for await (const row of rows) {
    if (options.done.has(row.line)) continue;
    batch.push(row);
    if (batch.length < BATCH) continue;
    options.onBatch(await importBatch(batch, seen, options));
    batch = [];
  }
  if (batch.length > 0) options.onBatch(await importBatch(batch, seen, options));
}

async function importBatch(rows: Row[], seen: Set<string>, options: ImportOptions): Promise<Entry[]> {
  const { entries, people } = readRows(rows, seen, options);
  const present = await findExisting(people.map(({ person }) => person), options.auth); // prettier-ignore
  const isPresent = ({ uid, email }: UserImportRecord) => present.has(uid) || present.has(email ?? '');
  const fresh = people.filter(({ person }) => !isPresent(person));
  for (const { line, person } of people)
    if (isPresent(person)) entries.push({ line, outcome: 'present', uid: person.uid });
  entries.push(...(options.dryRun ? toImportRecord(fresh, new Map()) : await send(fresh, options)));
  return entries.sort((a, b) => a.line - b.line);
}

function readRows(rows: Row[], seen: Set<string>, { encoding, legacy, hash }: ImportOptions) {
  const entries: Entry[] = [];
  const people: Person[] = [];
  for (const { line, row } of rows) {
    const read = readRow(row, { encoding, legacy });
    const refuse = (reason: string) => entries.push({ line, outcome: 'wrong', reason });
    if ('problem' in read) refuse(read.problem);
    else if (read.person.passwordHash && !hash) refuse('it has a passwordHash, but no hash algorithm was given');
    else if ([read.person.uid, read.person.email ?? ''].some((name) => seen.has(name)))
      refuse('its uid or email occurs in an earlier row');
    else people.push({ line, person: read.person });
    if ('person' in read) [read.person.uid, read.person.email ?? ''].forEach((name) => seen.add(name));
  }
  return { entries, people };
}

/** Ids and emails, of these users, that already have an account. */
async function findExisting(people: UserImportRecord[], auth: ImportOptions['auth']): Promise<Set<string>> {
  const found = new Set<string>();
  const questions = people.flatMap(({ uid, email = '' }) => [{ uid }, { email }]);
  for (let i = 0; i < questions.length; i += LOOKUP) {
    const { users } = await auth.getUsers(questions.slice(i, i + LOOKUP));
    for (const { uid, email } of users) [uid, email ?? uid].forEach((name) => found.add(name));
  }
  return found;
}

async function send(people: Person[], { auth, hash }: ImportOptions): Promise<Entry[]> {
  if (people.length === 0) return [];
  const hashed = people.some(({ person }) => person.passwordHash);
  const { errors } = await auth.importUsers(people.map(({ person }) => person), hashed ? hash : undefined); // prettier-ignore
  return toImportRecord(people, new Map(errors.map(({ index, error }) => [index, error.code])));
}

function toImportRecord(people: Person[], failures: Map<number, string>): Entry[] {
  return people.map(({ line, person: { uid } }, i) => {
    const reason = failures.get(i);
    return reason === undefined ? { line, outcome: 'imported', uid } : { line, outcome: 'failed', uid, reason };
  });
}
