import { getColumns } from './columns';
import type { FileRow } from './csv';

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
