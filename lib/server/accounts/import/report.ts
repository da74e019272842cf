import { appendFileSync, readFileSync, realpathSync, statSync, truncateSync } from 'node:fs';
import { z } from 'zod';
import type { Entry } from '.';
import { withFile } from './file-error';

const entrySchema = z.object({
  line: z.number(),
  outcome: z.enum(['imported', 'present', 'wrong', 'failed']),
  content: z.string().optional(),
});

/** How every line begins (`Entry`). */
const BEGINNING = '{"line":';
const NEWLINE = 0x0a;

export type Report = {
  /** The contents that need no second examination, and how often. Rows that were wrong or failed are retried. */
  done: Map<string, number>;
  /** @throws Error in words, also when the disk is full */
  append: (entries: readonly Entry[]) => void;
};

/**
 * Opens the report of an import. A last line that a full disk or an interruption has cut off is dropped: its user is looked up
 * again.
 * @param input the file of users, which is never the report
 * @param startOver whether the entries of earlier runs are deleted
 * @throws Error when the file is not a report or one of its lines cannot be read
 */
export function openReport(path: string, input: string, startOver: boolean): Report {
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
  const end = bytes.lastIndexOf(NEWLINE) + 1;
  const entries = readEntries(path, bytes.subarray(0, end).toString());
  const last = bytes.subarray(end).toString();
  assertBeginning(path, last, entries.length + 1);
  const repair = () => {
    if (startOver) return truncateSync(path);
    const entry = parseEntry(last);
    if (entry === null) return truncateSync(path, end);
    entries.push(entry);
    appendFileSync(path, '\n');
  };
  if (startOver || last !== '') withFile(`The report ${path} cannot be written`, repair);
  return { done: startOver ? new Map<string, number>() : countDone(entries), append };
}

type ReportEntry = z.output<typeof entrySchema>;

function readEntries(path: string, text: string): ReportEntry[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line, i) => {
      const entry = parseEntry(line);
      if (entry !== null) return entry;
      assertBeginning(path, line, i + 1);
      throw new Error(
        `${path}, line ${String(i + 1)} cannot be read. Delete this line, then run it again: its users are looked up again.`,
      );
    });
}

/** Any other file is never changed. */
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

function countDone(entries: readonly ReportEntry[]): Map<string, number> {
  const done = new Map<string, number>();
  for (const { outcome, content } of entries)
    if (content && (outcome === 'imported' || outcome === 'present')) done.set(content, (done.get(content) ?? 0) + 1);
  return done;
}
