import { appendFileSync, createReadStream, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { env, readImportHashKey } from '../config/env';
import { getIdentityAdmin } from '../identity-provider/admin';
import { importUsers, type Entry, type Outcome } from '.';
import { readCsv, type FileRow } from './csv';
import { hashOptions } from './hash';
import { readJsonUsers } from './json';
import { getEncoding } from './password-hash';

/** Reasons shown on the screen; the report has all. */
const MAX_REASONS = 10;

type Options = Record<string, string | boolean | undefined>;
type Counts = Record<Outcome, number>;

/**
 * Imports a file of users, and records the outcome of each line.
 * @param file CSV with a header line, or JSON: an array of users
 * @param options as on the command line (lib/server/cli/import.ts)
 * @returns whether every user of the file has an account now
 * @throws Error when the file, its header or an option cannot be used
 */
export async function importFile(file: string, options: Options): Promise<boolean> {
  const dryRun = options['dry-run'] === true;
  const report = String(options.report ?? `${file}.report${dryRun ? '.dry-run' : ''}.jsonl`);
  if (dryRun) rmSync(report, { force: true });

  const counts: Counts = { imported: 0, present: 0, wrong: 0, failed: 0 };
  let [withoutPassword, shown, tenth] = [0, 0, 0];
  const bytes = statSync(file).size;
  const reader = openRows(file, String(options.ignore ?? '').split(','));
  const { lines, earlier } = await importUsers(reader.rows, {
    auth: getIdentityAdmin(),
    project: `${env().NEXT_PUBLIC_FIREBASE_PROJECT_ID} ${env().FIREBASE_AUTH_EMULATOR_HOST ?? ''}`,
    encoding: getEncoding(asText(options.encoding)),
    legacy: options['not-legacy'] !== true,
    hash: options.hash ? hashOptions(String(options.hash), getParameters(options)) : undefined,
    dryRun,
    done: dryRun ? new Map<string, number>() : readReport(report),
    onBatch: (entries, unprotected) => {
      appendFileSync(report, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
      withoutPassword += unprotected;
      for (const { line, outcome, reason } of entries) {
        counts[outcome] += 1;
        if (reason === undefined || (shown += 1) > MAX_REASONS) continue;
        console.error(`${file}, ${reader.unit} ${String(line)}: ${outcome}: ${reason}`);
      }
      const part = Math.floor((10 * reader.read()) / bytes);
      if (part > tenth) console.error(`${String(part * 10)} % read: ${formatCounts(counts)}`);
      tenth = part;
    },
  });
  if (shown > MAX_REASONS) console.error(`… and ${String(shown - MAX_REASONS)} more, in ${report}`);
  const before = earlier > 0 ? `; ${String(earlier)} done by an earlier run` : '';
  console.log(`${dryRun ? 'Would be done' : 'Done'}: ${formatCounts(counts)}${before}. Result of each line: ${report}`);
  if (withoutPassword > 0) console.log(`Without a password: ${String(withoutPassword)} of the imported.`);
  return isComplete(file, { lines, earlier, counts });
}

/** Whether every user of the file is accounted for. An empty file is a mistake. */
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

function getParameters(options: Options): Record<string, unknown> {
  return {
    key: readImportHashKey(),
    saltSeparator: options['salt-separator'],
    rounds: options.rounds,
    memoryCost: options['memory-cost'],
    blockSize: options['block-size'],
    parallelization: options.parallelization,
    derivedKeyLength: options['derived-key-length'],
  };
}

function asText(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The contents that need no second examination, and how often. Rows that were wrong or failed are retried. */
function readReport(report: string): Map<string, number> {
  const done = new Map<string, number>();
  if (!existsSync(report)) return done;
  const lines = readFileSync(report, 'utf8').split('\n').filter(Boolean);
  for (const { outcome, content } of lines.map((line) => JSON.parse(line) as Entry))
    if (content && (outcome === 'imported' || outcome === 'present')) done.set(content, (done.get(content) ?? 0) + 1);
  return done;
}

type Reader = {
  rows: AsyncIterable<FileRow> | Iterable<FileRow>;
  /** Bytes read so far. */
  read: () => number;
  unit: string;
};

/** @param ignored columns to leave out */
function openRows(file: string, ignored: string[]): Reader {
  if (file.endsWith('.json')) {
    const bytes = readFileSync(file);
    return { rows: readJsonUsers(bytes, ignored), read: () => bytes.length, unit: 'user' };
  }
  const stream = createReadStream(file);
  return { rows: readCsv(stream, ignored), read: () => stream.bytesRead, unit: 'line' };
}
