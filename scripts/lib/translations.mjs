import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadSource } from './source-loader.mjs';

/** @type {typeof import('../../lib/shared/i18n/complete')} */
const { getForms, getStem } = loadSource('/lib/shared/i18n/complete.ts');
const SOURCE = 'en';
/** Length of a digest in characters, which is enough to tell two versions of a text apart. */
const DIGEST_LENGTH = 8;

/** @typedef {{ missing: string[], leftOver: string[], changed: string[] }} Findings keys, such as `sign-in:heading` */

/**
 * Finds texts that a language lacks, surplus texts, and texts whose English has changed since the translation.
 * @param {string} folder has a folder for each language, and beside them the record of each language
 * @param {string} language
 * @returns {Findings}
 */
export function compareTexts(folder, language) {
  const source = readTexts(folder, SOURCE);
  const own = readTexts(folder, language);
  const record = readRecord(folder, language);
  const wanted = new Map([...source].flatMap(([key, text]) => toForms(key, language).map((form) => [form, text])));
  return {
    missing: [...wanted.keys()].filter((key) => !own.has(key)),
    leftOver: [...own.keys()].filter((key) => !wanted.has(key)),
    changed: [...source].filter(([key, text]) => record[key] !== digest(text)).map(([key]) => key),
  };
}

/**
 * Records that the translations match the current English texts.
 * @param {string} folder
 * @param {string} language
 */
export function recordTexts(folder, language) {
  const digests = [...readTexts(folder, SOURCE)].map(([key, text]) => [key, digest(text)]);
  writeFileSync(recordFile(folder, language), `${JSON.stringify(Object.fromEntries(digests.sort()), null, 2)}\n`);
}

/** @param {string} folder @param {string} language */
const recordFile = (folder, language) => path.join(folder, '.translated', `${language}.json`);

/** @param {string} folder @param {string} language @returns {Record<string, string>} */
function readRecord(folder, language) {
  const file = recordFile(folder, language);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/** @param {string} folder @param {string} language @returns {Map<string, string>} */
function readTexts(folder, language) {
  const files = readdirSync(path.join(folder, language));
  return new Map(
    files.flatMap((file) =>
      flatten(JSON.parse(readFileSync(path.join(folder, language, file), 'utf8')), `${path.basename(file, '.json')}:`),
    ),
  );
}

/** @param {Record<string, unknown>} texts @param {string} before @returns {[string, string][]} */
function flatten(texts, before) {
  return Object.entries(texts).flatMap(([key, text]) =>
    typeof text === 'string'
      ? [/** @type {[string, string]} */ ([before + key, text])]
      : flatten(/** @type {Record<string, unknown>} */ (text), `${before}${key}.`),
  );
}

/** @param {string} key a key of the English texts @param {string} language @returns {string[]} */
function toForms(key, language) {
  const stem = getStem(key);
  if (stem === null) return [key];
  return getForms(language, stem.endsWith('_ordinal') ? 'ordinal' : 'cardinal').map((form) => `${stem}_${form}`);
}

/** @param {string} text */
const digest = (text) => createHash('sha256').update(text).digest('hex').slice(0, DIGEST_LENGTH);
