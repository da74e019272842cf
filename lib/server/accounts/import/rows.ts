import { parse } from 'csv-parse/sync';
import { cleanEmail } from '@/lib/shared/account/clean-email';
import type { UserImportOptions, UserImportRecord } from 'firebase-admin/auth';
import { z } from 'zod';
import { createHash } from 'node:crypto';
import { LEGACY_CLAIM, PROVED_ADDRESS_CLAIM } from '@/lib/server/policy';
import { escapeControls, findNearestName, parseJson } from '@/lib/server/runtime';

/** A row of the file, or the problem of its line. `line`: number in the file, or position in its array. */
export type FileRow = { line: number; row: Record<string, unknown> } | { line: number; problem: string };

/** `text`: null for bytes that are not UTF-8. */
type Line = { line: number; text: string | null };
type ParsedRecord = { cells: string[] } | { problem: string; isOpen: boolean };

/** Maximum number of lines to search for the end of a quoted value. */
const MAX_RECORD_LINES = 50;

/**
 * Reads a CSV file (RFC 4180) record by record, so that a wrong record does not hide the others.
 * @param ignored columns to leave out
 * @throws Error if the header cannot be used
 */
export async function* readCsv(chunks: AsyncIterable<Buffer>, ignored: readonly string[]): AsyncGenerator<FileRow> {
  const lines = readLines(chunks);
  const ahead: Line[] = [];
  const peek = async (at: number) => {
    while (ahead.length <= at) {
      const next = await lines.next();
      if (next.done) return undefined;
      ahead.push(next.value);
    }
    return ahead[at];
  };
  let columns: Columns | undefined;
  let separator = ',';
  for (let first = await peek(0); first; first = await peek(0)) {
    if (!columns) separator = findSeparator(first.text ?? '');
    const { record, count } = await readRecord(peek, separator);
    ahead.splice(0, count);
    if (first.text?.trim() === '') continue;
    if (columns) yield toRow(first.line, record, columns);
    else if (record === carriageReturn) throw new Error(`The header cannot be used: ${record.problem}.`);
    else columns = getColumns('cells' in record ? record.cells : [], ignored);
  }
}

function toRow(line: number, record: ParsedRecord, { names, kept }: Columns): FileRow {
  if ('problem' in record) return { line, problem: record.problem };
  const { cells } = record;
  if (cells.length !== names.length)
    return { line, problem: `it has ${String(cells.length)} columns instead of ${String(names.length)}` };
  if (cells.some((cell) => cell.includes('\n'))) return { line, problem: 'a quoted value contains a line break' };
  return { line, row: Object.fromEntries(kept.map((name) => [name, cells[names.indexOf(name)]])) };
}

/** Reads a record and its number of lines. A quote that never closes makes only its first line wrong. */
async function readRecord(peek: (at: number) => Promise<Line | undefined>, separator: string) {
  let text = '';
  let first: ParsedRecord | undefined;
  for (let count = 1; count <= MAX_RECORD_LINES; count += 1) {
    const next = await peek(count - 1);
    if (!next) break;
    text += count === 1 ? (next.text ?? '') : `\n${next.text ?? ''}`;
    const record = next.text === null ? notUtf8 : parseRecord(text, separator);
    first ??= record;
    if ('cells' in record) return { record, count };
    if (!record.isOpen) break;
  }
  return { record: first ?? notUtf8, count: 1 };
}

const notUtf8 = { problem: 'it is not UTF-8', isOpen: false };
/** The parser would end the record there, and read the rest as another record. */
const carriageReturn = { problem: 'it contains a carriage return: lines end with LF or CRLF', isOpen: false };

/**
 * Spreadsheets write a semicolon where the comma is the decimal separator, and some programs write a tab. No column
 * name contains them.
 */
function findSeparator(header: string): string {
  const count = (separator: string) => header.split(separator).length;
  return [',', ';', '\t'].reduce((most, separator) => (count(separator) > count(most) ? separator : most));
}

function parseRecord(text: string, delimiter: string): ParsedRecord {
  try {
    const [cells = [], another]: string[][] = parse(text, { delimiter, relax_column_count: true, trim: true });
    return another ? carriageReturn : { cells };
  } catch (error) {
    const isOpen = (error as { code?: string }).code === 'CSV_QUOTE_NOT_CLOSED';
    return { problem: isOpen ? 'a quote is not closed' : 'a quote is in the wrong place', isOpen };
  }
}

/** Decodes each line separately, so that a line that is not UTF-8 does not affect the others. */
async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes: Buffer) => {
    try {
      return decoder.decode(bytes).replace(/\r$/, '');
    } catch {
      return null;
    }
  };
  let line = 0;
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    let begin = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, begin)) {
      yield { line: (line += 1), text: decode(Buffer.concat([rest, chunk.subarray(begin, end)])) };
      rest = Buffer.alloc(0);
      begin = end + 1;
    }
    rest = Buffer.concat([rest, chunk.subarray(begin)]);
  }
  if (rest.length > 0) yield { line: line + 1, text: decode(rest) };
}

/**
 * Reads a JSON array of users.
 * @param ignored members to leave out
 * @throws Error if it is not an array of objects in UTF-8, or has an unknown member
 */
export function readJsonUsers(bytes: Buffer, ignored: readonly string[]): FileRow[] {
  const users = parseUsers(bytes);
  if (!Array.isArray(users)) throw new Error('The file must contain an array of users.');
  if (users.length === 0) return [];
  const rows = users.map((user: unknown, i) => ({ line: i + 1, user }));
  const names = rows.flatMap(({ user }) => (isRecord(user) ? Object.keys(user) : []));
  const { kept } = getColumns([...new Set(names)], ignored);
  return rows.map(({ line, user }) =>
    isRecord(user)
      ? { line, row: Object.fromEntries(Object.entries(user).filter(([name]) => kept.includes(name))) }
      : { line, problem: 'it is not an object' },
  );
}

function parseUsers(bytes: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('The file is not UTF-8.');
  }
  try {
    return parseJson(text);
  } catch (error) {
    throw new Error(`The file ${(error as Error).message}`);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const blankIsNone = <T extends z.ZodType>(schema: T) =>
  z.preprocess((v) => (v === '' ? undefined : v), schema.optional());
const flag = blankIsNone(
  z.union([z.boolean(), z.enum(['true', 'false', '1', '0']).transform((v) => v === 'true' || v === '1')]),
);
const moment = blankIsNone(z.union([z.iso.datetime({ offset: true }), z.iso.date()]));

/**
 * A line of text that was decoded correctly. U+FFFD replaces bytes that an earlier program could not read, so refuse
 * it.
 */
const text = z
  .string()
  .trim()
  .max(256)
  .regex(/^[^\p{Cc}\u2028\u2029\ufffd]*$/u);

/** A user record of the previous system. */
const rowSchema = z.object({
  uid: blankIsNone(
    z
      .string()
      .max(128)
      // The operator's tool treats a name with an @ as an email.
      .regex(/^[^@\p{Cc}]+$/u),
  ),
  email: z.string().transform(cleanEmail).pipe(z.email().max(254)),
  displayName: blankIsNone(text),
  emailVerified: flag,
  disabled: flag,
  passwordHash: blankIsNone(z.string()),
  passwordSalt: blankIsNone(z.string()),
  createdAt: moment,
  lastSignInAt: moment,
});

/** The columns of a file. */
const COLUMNS = Object.keys(rowSchema.shape) as readonly (keyof typeof rowSchema.shape)[];

const FLAG = 'must be true, false, 1 or 0';
const MOMENT = 'must be a date (2019-05-04), or a time with its zone (2019-05-04T12:30:00Z)';
/** Explains why a value is wrong. */
const REASONS: Record<(typeof COLUMNS)[number], string> = {
  uid: 'must have 1 to 128 characters, none of them an @ or a control character',
  email: 'is no email address',
  displayName: 'must be one line in UTF-8, of at most 256 characters',
  emailVerified: FLAG,
  disabled: FLAG,
  passwordHash: 'must be text',
  passwordSalt: 'must be text',
  createdAt: MOMENT,
  lastSignInAt: MOMENT,
};

export type RowOptions = { encoding: Encoding; legacy: boolean; hash: UserImportOptions | undefined };
type ReadRow = { user: UserImportRecord } | { problem: string };

/**
 * Parses a row.
 * @param legacy whether to mark the user as coming from the previous system (docs/product.md#states)
 * @returns problems with the names of columns and reasons, never values
 */
export function readRow(row: unknown, { encoding, legacy, hash }: RowOptions): ReadRow {
  const { success, data, error } = rowSchema.safeParse(row);
  if (!success) return { problem: describeIssues(error) };
  const passwordHash = data.passwordHash === undefined ? undefined : decodeBytes(data.passwordHash, encoding);
  const passwordSalt = data.passwordSalt === undefined ? undefined : decodeBytes(data.passwordSalt, encoding);
  if (passwordHash !== undefined && !hash) return { problem: 'it has a passwordHash, but no hash algorithm was given' };
  if (passwordHash === null || (passwordHash && hash && !isPasswordHash(passwordHash, hash.hash)))
    return { problem: `passwordHash is no ${hash?.hash.algorithm ?? ''} hash in ${encoding}` };
  if (passwordSalt === null) return { problem: `passwordSalt is not ${encoding}` };
  const { email, displayName, emailVerified = false, disabled = false, createdAt, lastSignInAt } = data;
  return {
    user: {
      uid: data.uid ?? uidFor(email),
      email,
      emailVerified,
      disabled,
      ...(displayName !== undefined && { displayName }),
      ...(passwordHash !== undefined && { passwordHash }),
      ...(passwordSalt !== undefined && { passwordSalt }),
      ...((legacy || emailVerified) && {
        customClaims: {
          ...(legacy && { [LEGACY_CLAIM]: true }),
          // A person who knows the old password must not change the account's email before its owner signs in.
          ...(emailVerified && { [PROVED_ADDRESS_CLAIM]: email }),
        },
      }),
      ...((createdAt ?? lastSignInAt) && {
        metadata: { creationTime: asTime(createdAt), lastSignInTime: asTime(lastSignInAt) },
      }),
    },
  };
}

function describeIssues({ issues }: z.ZodError): string {
  const wrong = COLUMNS.filter((name) => issues.some(({ path }) => path[0] === name));
  return wrong.map((name) => `${name}: ${REASONS[name]}`).join('; ') || 'it is not an object';
}

const asTime = (written: string | undefined) => (written === undefined ? undefined : new Date(written).toUTCString());

/** Derives a stable id from the email, so that a second import finds the users of the first. */
export function uidFor(email: string): string {
  return `legacy-${createHash('sha256').update(email).digest('hex').slice(0, 24)}`;
}

/** Encodings of hashes and salts in the file. */
const ENCODINGS = ['base64', 'hex', 'utf8'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** @param given the option on the command line @throws Error with the supported encodings */
export function getEncoding(given = 'base64'): Encoding {
  const encoding = ENCODINGS.find((name) => name === given);
  if (!encoding) throw new Error(`Unknown encoding. Supported: ${ENCODINGS.join(', ')}`);
  return encoding;
}

type HashOptions = UserImportOptions['hash'];

/** Digest sizes, in bytes. */
const SIZES: Record<string, number> = {
  ...{ HMAC_SHA512: 64, HMAC_SHA256: 32, HMAC_SHA1: 20, HMAC_MD5: 16 },
  ...{ SHA512: 64, SHA256: 32, SHA1: 20, MD5: 16 },
};
/** Minimum for a derived key whose size the previous system has chosen. */
const MIN_DERIVED_BYTES = 16;
const BCRYPT = /^\$2(?:a|b|x|y)?\$\d\d\$[./A-Za-z0-9]{53}$/;

const WRITTEN: Record<Encoding, RegExp> = {
  base64: /^[A-Za-z0-9+/_-]+={0,2}$/,
  hex: /^(?:[0-9a-f]{2})+$/i,
  utf8: /./s,
};

/**
 * Decodes a hash or salt. Returns null if the text is not in this encoding, because Node would skip invalid characters.
 */
function decodeBytes(written: string, encoding: Encoding): Buffer | null {
  return WRITTEN[encoding].test(written) ? Buffer.from(written, encoding) : null;
}

/**
 * Tests whether bytes can be a result of the algorithm. The identity provider stores any bytes, and would then refuse
 * every password.
 */
function isPasswordHash(bytes: Buffer, { algorithm, derivedKeyLength }: HashOptions): boolean {
  if (algorithm === 'BCRYPT') return BCRYPT.test(bytes.toString('latin1'));
  const size = algorithm === 'STANDARD_SCRYPT' ? derivedKeyLength : SIZES[algorithm];
  return size === undefined ? bytes.length >= MIN_DERIVED_BYTES : bytes.length === size;
}

type Columns = { names: string[]; kept: string[] };

/**
 * Checks the columns of a file before it reads any row. With a mistyped column, all users would be imported without its
 * values.
 * @param ignored columns to leave out
 * @throws Error with the name of each problem, but never a value of a file without a header
 */
function getColumns(names: string[], ignored: readonly string[]): Columns {
  const known: readonly string[] = COLUMNS;
  const unknown = names.filter((name) => !known.includes(name) && !ignored.includes(name));
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (!names.includes('email'))
    throw new Error(
      names.some((name) => !/^[\w -]{1,64}$/.test(name)) || names.length === 0
        ? 'The file has no header, or is not UTF-8: the first line must name the columns, email among them.'
        : `There is no column email. Columns: ${list(names)}`,
    );
  if (twice !== undefined) throw new Error(`The column ${escapeControls(twice)} occurs twice.`);
  if (unknown.length > 0) throw new Error(describeUnknown(unknown, names));
  return { names, kept: names.filter((name) => known.includes(name) && !ignored.includes(name)) };
}

function describeUnknown(unknown: string[], names: string[]): string {
  const free = COLUMNS.filter((name) => !names.includes(name));
  const lines = unknown.map((name) => {
    const nearest = findNearestName(name, free);
    return `The column ${escapeControls(name)} is unknown${nearest === undefined ? '' : `; is it ${nearest}?`}`;
  });
  return [...lines, `Known: ${COLUMNS.join(', ')}. To leave a column out: --ignore ${list(unknown, ',')}`].join('\n');
}

const list = (names: string[], separator = ', ') => names.map(escapeControls).join(separator);
