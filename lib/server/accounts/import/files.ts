import { parse } from 'csv-parse/sync';
import { getColumns, type Columns } from './rows';

/** A row of the file, or what is wrong with its line. `line`: of the file, or the position in its array. */
export type FileRow = { line: number; row: Record<string, unknown> } | { line: number; problem: string };

/** Null for bytes that are not UTF-8. */
type Line = { line: number; text: string | null };
type ParsedRecord = { cells: string[] } | { problem: string; isOpen: boolean };

/** Lines over which an open quote is followed, to find where its value ends. */
const MAX_RECORD_LINES = 50;

/**
 * Reads a CSV file (RFC 4180) record by record: what is wrong with one must not hide the others.
 * @param ignored columns to leave out
 * @throws Error when the header cannot be used
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
  for (let first = await peek(0); first; first = await peek(0)) {
    const { record, count } = await readRecord(peek);
    ahead.splice(0, count);
    if (first.text?.trim() === '') continue;
    if (!columns) columns = getColumns('cells' in record ? record.cells : [], ignored);
    else yield toRow(first.line, record, columns);
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

/** A record, and its number of lines. A quote that never closes makes its first line wrong, and no other. */
async function readRecord(peek: (at: number) => Promise<Line | undefined>) {
  let text = '';
  let first: ParsedRecord | undefined;
  for (let count = 1; count <= MAX_RECORD_LINES; count += 1) {
    const next = await peek(count - 1);
    if (!next) break;
    text += count === 1 ? (next.text ?? '') : `\n${next.text ?? ''}`;
    const record = next.text === null ? notUtf8 : parseRecord(text);
    first ??= record;
    if ('cells' in record) return { record, count };
    if (!record.isOpen) break;
  }
  return { record: first ?? notUtf8, count: 1 };
}

const notUtf8 = { problem: 'it is not UTF-8', isOpen: false };

function parseRecord(text: string): ParsedRecord {
  try {
    const [cells = []]: string[][] = parse(text, { relax_column_count: true, trim: true });
    return { cells };
  } catch (error) {
    const isOpen = (error as { code?: string }).code === 'CSV_QUOTE_NOT_CLOSED';
    return { problem: isOpen ? 'a quote is not closed' : 'a quote is in the wrong place', isOpen };
  }
}

/** Decodes each line by itself: one that is not UTF-8 must not spoil the others. */
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
 * @throws Error when it is not an array of objects in UTF-8, or has an unknown member
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

/** The parser's own message would show a part of the file. */
function parseUsers(bytes: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('The file is not UTF-8.');
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const [place = ''] = /at position \d+|\(line \d+ column \d+\)/.exec((error as Error).message) ?? [];
    throw new Error(`The file is not JSON ${place}`.trim());
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
