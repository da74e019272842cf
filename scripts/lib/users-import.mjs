import { appendFileSync, createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { parse } from 'csv-parse';
import { loadSource } from './source-loader.mjs';

/** @typedef {{ line: number, outcome: string, uid?: string, reason?: string }} Entry */

/**
 * Imports a file of users, and records the outcome of each line.
 * @param {string} file CSV with a header line, or JSON: an array of users
 * @param {Record<string, string | boolean | undefined>} options as on the command line
 * @returns {Promise<boolean>} whether every line was valid
 */
export async function runImport(file, options) {
  const dryRun = options['dry-run'] === true;
  const report = String(options.report ?? `${file}.report${dryRun ? '.dry-run' : ''}.jsonl`);
  const { entries: before, done } = dryRun ? { entries: [], done: new Set() } : readReport(report);
  if (before.length > 0) console.log(`Going on after ${done.size} lines that are done, as ${report} has it.`);

  /** @type {Record<string, number>} */
  const counts = { imported: 0, present: 0, wrong: 0, failed: 0 };
  const folder = '/lib/server/user-import';
  const { importUsers } = loadSource(`${folder}/index.ts`);
  const { hashOptions } = loadSource(`${folder}/hash.ts`);
  const { getEncoding } = loadSource(`${folder}/rows.ts`);
  const { getIdentityAdmin } = loadSource('/lib/server/identity-provider/admin.ts');
  const bytes = statSync(file).size;
  const reader = openRows(file);
  let tenth = 0;
  await importUsers(reader.rows, {
    auth: getIdentityAdmin(),
    encoding: getEncoding(options.encoding),
    legacy: options['not-legacy'] !== true,
    hash: options.hash ? hashOptions(options.hash, getParameters(options)) : undefined,
    dryRun,
    done,
    onBatch: (/** @type {Entry[]} */ entries) => {
      appendFileSync(report, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
      for (const { outcome } of entries) counts[outcome] = (counts[outcome] ?? 0) + 1;
      const part = Math.floor((10 * reader.read()) / bytes);
      if (part > tenth) console.error(`${part * 10} % read: ${formatCounts(counts)}`);
      tenth = part;
    },
  });
  console.log(`${dryRun ? 'Would be done' : 'Done'}: ${formatCounts(counts)}. Result of each line: ${report}`);
  return counts.wrong === 0 && counts.failed === 0;
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
 * Lines that were invalid or failed are retried: they may have been corrected since.
 * @param {string} report
 */
function readReport(report) {
  if (!existsSync(report)) return { entries: [], done: new Set() };
  const lines = readFileSync(report, 'utf8').split('\n').filter(Boolean);
  const entries = lines.map((line) => /** @type {Entry} */ (JSON.parse(line)));
  const good = entries.filter(({ outcome }) => outcome === 'imported' || outcome === 'present');
  return { entries, done: new Set(good.map(({ line }) => line)) };
}

/**
 * @param {string} file
 * @returns {{ rows: AsyncIterable<{ line: number, row: unknown }> | { line: number, row: unknown }[], read: () => number }}
 *   `line`: line number in the file, or index in its array; `read`: bytes read so far
 */
function openRows(file) {
  if (file.endsWith('.json')) {
    const accounts = JSON.parse(readFileSync(file, 'utf8'));
    if (!Array.isArray(accounts)) throw new Error(`${file} must contain an array of users.`);
    return { rows: accounts.map((row, i) => ({ line: i + 1, row })), read: () => statSync(file).size };
  }
  const stream = createReadStream(file);
  const rows = stream.pipe(parse({ columns: true, bom: true, info: true, trim: true, skip_empty_lines: true }));
  stream.on('error', (error) => rows.destroy(error));
  return { rows: numbered(rows), read: () => stream.bytesRead };
}

/** @param {AsyncIterable<{ record: unknown, info: { lines: number } }>} rows */
async function* numbered(rows) {
  for await (const { record, info } of rows) yield { line: info.lines, row: record };
}
