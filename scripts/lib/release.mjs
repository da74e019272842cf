import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './paths.mjs';

const UNRELEASED = '## [Unreleased]\n';

/**
 * Moves the unreleased entries of a changelog under a version.
 * @param {string} text @param {string} version @param {string} date as `2026-11-28`
 * @returns {string}
 * @throws Error if there are no unreleased entries, or the version already exists
 */
export function cutChangelog(text, version, date) {
  if (text.includes(`## [${version}]`)) throw new Error(`CHANGELOG.md has ${version} already.`);
  const at = text.indexOf(UNRELEASED);
  const rest = text.slice(at + UNRELEASED.length);
  const [entries = ''] = rest.split(/^## \[/m);
  if (at === -1 || !/^- /m.test(entries)) throw new Error('CHANGELOG.md has nothing under [Unreleased].');
  return `${text.slice(0, at)}${UNRELEASED}\n## [${version}] - ${date}\n${rest}`;
}

/**
 * Returns a version's entries, for the page of its release.
 * @param {string} text the changelog @param {string} version @returns {string}
 */
export function readNotes(text, version) {
  const [, notes] =
    new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\].*\n([^]*?)(?=^## \\[|(?![^]))`, 'm').exec(text) ?? [];
  if (notes === undefined) throw new Error(`CHANGELOG.md has no ${version}.`);
  return notes.trim();
}

/**
 * Checks that the two documents for operators agree about an upgrade.
 * @param {string} notes the version's entries in the changelog @param {string} upgrading UPGRADING.md @param {string}
 * version
 * @throws Error if the version asks operators to act, but UPGRADING.md has no steps
 */
export function assertSteps(notes, upgrading, version) {
  if (!notes.includes('**Operators must act**') || upgrading.includes(`## To ${version}`)) return;
  throw new Error(`Operators must act: write the steps into UPGRADING.md, under "## To ${version}".`);
}

/** @param {string} version @returns {number[]} @throws Error if the version does not consist of three numbers */
function parse(version) {
  if (!/^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}$/.test(version))
    throw new Error(`${version} is not a version such as 0.9.0.`);
  return version.split('.').map(Number);
}

/**
 * @param {string} one @param {string} other @returns {boolean} whether `one` is later than `other` (Semantic
 * Versioning, section 11)
 */
export function isLater(one, other) {
  const [left, right] = [parse(one), parse(other)];
  const at = left.findIndex((part, i) => part !== right[i]);
  return at !== -1 && (left[at] ?? 0) > (right[at] ?? 0);
}

/**
 * Makes a release of the checkout in one commit, with the version, the changelog and the API description. The workflow
 * tags and publishes it once the commit is on `main`.
 * @param {string} version @param {Date} [now]
 */
export function release(version, now = new Date()) {
  const read = (/** @type {string} */ file) => readFileSync(path.join(root, file), 'utf8');
  const git = (/** @type {string[]} */ ...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const current = JSON.parse(read('package.json')).version;
  if (!isLater(version, current)) throw new Error(`${version} is not later than ${current}.`);
  if (git('status', '--porcelain') !== '') throw new Error('Commit your changes first.');
  const changelog = cutChangelog(read('CHANGELOG.md'), version, now.toISOString().slice(0, 10));
  assertSteps(readNotes(changelog, version), read('UPGRADING.md'), version);
  const lock = JSON.parse(read('package-lock.json'));
  lock.version = version;
  lock.packages[''].version = version;
  writeFileSync(path.join(root, 'CHANGELOG.md'), changelog);
  writeFileSync(
    path.join(root, 'package.json'),
    read('package.json').replace(`"version": "${current}"`, `"version": "${version}"`),
  );
  writeFileSync(path.join(root, 'package-lock.json'), `${JSON.stringify(lock, null, 2)}\n`);
  // The API description contains the version.
  execFileSync(process.execPath, [path.join(root, 'scripts/docs.mjs')], { cwd: root, stdio: 'ignore' });
  git('commit', '--quiet', '--all', '--message', `Release ${version}`);
  console.log(`Committed ${version}. Push it to main: the workflow tags, builds and publishes it.`);
}
