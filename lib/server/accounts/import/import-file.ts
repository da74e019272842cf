import { createReadStream, readFileSync, statSync } from 'node:fs';
import { env, escapeControls } from '@/lib/server/runtime';
import { getIdentityAdmin } from '@/lib/server/identity';
import type { RowOptions } from './rows';
import { importUsers, type Outcome } from '.';
import { readCsv, type FileRow } from './csv';
import { toFileError, withFile } from './file-error';
import { readJsonUsers } from './json';
import { openReport } from './report';

/** Reasons shown on the screen; the report has all. */
const MAX_REASONS = 10;

type Options = RowOptions & {
  dryRun: boolean;
  /** Beside the file of users, if not given. */
  report?: string | undefined;
  /** Columns to leave out. */
  ignored: readonly string[];
};
type Counts = Record<Outcome, number>;

/**
 * Imports a file of users, and records the outcome of each line.
 * @param file CSV with a header line, or JSON: an array of users
 * @returns whether every user of the file has an account now
 * @throws Error when the file, its header or its report cannot be used
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
  if (shown > MAX_REASONS) console.error(`… and ${String(shown - MAX_REASONS)} more, in ${reportFile}`);
  const before = earlier > 0 ? `; ${String(earlier)} done by an earlier run` : '';
  console.log(
    `${dryRun ? 'Would be done' : 'Done'}: ${formatCounts(counts)}${before}. Result of each line: ${reportFile}`,
  );
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

type Reader = {
  rows: AsyncIterable<FileRow> | Iterable<FileRow>;
  /** Bytes read so far. */
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
