import { appendFileSync, createReadStream, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { loadSource } from './source-loader.mjs';

/** @typedef {{ line: number, outcome: string, uid?: string, reason?: string, content?: string }} Entry */

/** Reasons shown on the screen; the report has all. */
const MAX_REASONS = 10;

/**
 * Imports a file of users, and records the outcome of each line.
 * @param {string} file CSV with a header line, or JSON: an array of users
 * @param {Record<string, string | boolean | undefined>} options as on the command line
 * @returns {Promise<boolean>} whether every user of the file has an account now
 */
export async function runImport(file, options) {
  const dryRun = options['dry-run'] === true;
  const report = String(options.report ?? `${file}.report${dryRun ? '.dry-run' : ''}.jsonl`);
  if (dryRun) rmSync(report, { force: true });

  /** @type {Record<string, number>} */
  const counts = { imported: 0, present: 0, wrong: 0, failed: 0 };
  let [withoutPassword, shown, tenth] = [0, 0, 0];
  const folder = '/lib/server/user-import';
  const { importUsers } = loadSource(`${folder}/index.ts`);
  const { hashOptions } = loadSource(`${folder}/hash.ts`);
  const { getEncoding } = loadSource(`${folder}/password-hash.ts`);
  const { getIdentityAdmin } = loadSource('/lib/server/identity-provider/admin.ts');
  const { env } = loadSource('/lib/server/config/env.ts');
  const bytes = statSync(file).size;
  const reader = openRows(file, String(options.ignore ?? '').split(','));
  const { lines, earlier } = await importUsers(reader.rows, {
    auth: getIdentityAdmin(),
    project: `${env().NEXT_PUBLIC_FIREBASE_PROJECT_ID} ${env().FIREBASE_AUTH_EMULATOR_HOST ?? ''}`,
    encoding: getEncoding(options.encoding),
    legacy: options['not-legacy'] !== true,
    hash: options.hash ? hashOptions(options.hash, getParameters(options)) : undefined,
    dryRun,
    done: dryRun ? new Map() : readReport(report),
    onBatch: (/** @type {Entry[]} */ entries, /** @type {number} */ unprotected) => {
      appendFileSync(report, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
      withoutPassword += unprotected;
      for (const { line, outcome, reason } of entries) {
        counts[outcome] = (counts[outcome] ?? 0) + 1;
        if (reason === undefined || (shown += 1) > MAX_REASONS) continue;
        console.error(`${file}, ${reader.unit} ${line}: ${outcome}: ${reason}`);
      }
      const part = Math.floor((10 * reader.read()) / bytes);
      if (part > tenth) console.error(`${part * 10} % read: ${formatCounts(counts)}`);
      tenth = part;
    },
  });
  if (shown > MAX_REASONS) console.error(`… and ${shown - MAX_REASONS} more, in ${report}`);
  const before = earlier > 0 ? `; ${earlier} done by an earlier run` : '';
  console.log(`${dryRun ? 'Would be done' : 'Done'}: ${formatCounts(counts)}${before}. Result of each line: ${report}`);
  if (withoutPassword > 0) console.log(`Without a password: ${withoutPassword} of the imported.`);
  return isComplete(file, { lines, earlier, counts });
}

/**
 * Whether every user of the file is accounted for. An empty file is a mistake.
 * @param {string} file
 * @param {{ lines: number, earlier: number, counts: Record<string, number> }} result
 */
function isComplete(file, { lines, earlier, counts: { imported = 0, present = 0, wrong = 0, failed = 0 } }) {
  const missing = lines - earlier - imported - present - wrong - failed;
  if (lines === 0) console.error(`${file} contains no users.`);
  if (missing !== 0) console.error(`${missing} rows of ${file} have no result.`);
  return lines > 0 && wrong + failed + missing === 0;
}

/** @param {Record<string, number>} counts */
function formatCounts({ imported, present, wrong, failed }) {
  return `${imported} imported, ${present} there already, ${wrong} wrong, ${failed} failed`;
}

/** @param {Record<string, string | boolean | undefined>} options */
function getParameters(options) {
  return {
    key: process.env.IMPORT_HASH_KEY,
    saltSeparator: options['salt-separator'],
    rounds: options.rounds,
    memoryCost: options['memory-cost'],
    blockSize: options['block-size'],
    parallelization: options.parallelization,
    derivedKeyLength: options['derived-key-length'],
  };
}

/**
 * The contents that need no second examination. Rows that were wrong or failed are retried.
 * @param {string} report
 * @returns {Map<string, number>}
 */
function readReport(report) {
  const done = new Map();
  if (!existsSync(report)) return done;
  const lines = readFileSync(report, 'utf8').split('\n').filter(Boolean);
  for (const { outcome, content } of lines.map((line) => /** @type {Entry} */ (JSON.parse(line))))
    if (content && (outcome === 'imported' || outcome === 'present')) done.set(content, (done.get(content) ?? 0) + 1);
  return done;
}

/**
 * @param {string} file
 * @param {string[]} ignored columns to leave out
 * @returns {{ rows: AsyncIterable<unknown> | Iterable<unknown>, read: () => number, unit: string }} `read`: bytes read so
 *   far
 */
function openRows(file, ignored) {
  if (file.endsWith('.json')) {
    const { readJsonUsers } = loadSource('/lib/server/user-import/json.ts');
    const bytes = readFileSync(file);
    return { rows: readJsonUsers(bytes, ignored), read: () => bytes.length, unit: 'user' };
  }
  const { readCsv } = loadSource('/lib/server/user-import/csv.ts');
  const stream = createReadStream(file);
  return { rows: readCsv(stream, ignored), read: () => stream.bytesRead, unit: 'line' };
}
