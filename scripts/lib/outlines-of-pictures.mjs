import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './paths.mjs';

const OUTLINES = path.join(root, 'tests/e2e/outlines');
const RECORD = path.join(root, 'docs/images/outlines.json');

/** @returns {Record<string, string>} a SHA-256 of each screen's outline, by the name of its file */
export function hashOutlines() {
  const hash = (/** @type {string} */ name) =>
    createHash('sha256')
      .update(readFileSync(path.join(OUTLINES, name)))
      .digest('hex');
  return Object.fromEntries(
    readdirSync(OUTLINES)
      .toSorted()
      .map((name) => [name, hash(name)]),
  );
}

/** Records the outlines that the pictures in docs/images show. A test compares them with the present outlines. */
export function recordOutlines() {
  writeFileSync(RECORD, `${JSON.stringify(hashOutlines(), null, 2)}\n`);
}

/** @returns {Record<string, string>} what `recordOutlines` has recorded last */
export function readRecordedOutlines() {
  return JSON.parse(readFileSync(RECORD, 'utf8'));
}
