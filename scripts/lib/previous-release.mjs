import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { cacheDir, root, testDistDir } from './paths.mjs';

/** @typedef {{ version: string, commit: string }} Release */

/** @param {string[]} args @returns {string | null} null if git fails */
function git(...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  return status === 0 ? stdout.trim() : null;
}

/**
 * Finds the last release before this commit: the newest commit whose new version has a section in its own changelog.
 * This needs no tags, but it needs the whole history.
 * @returns {Release | string} the release, or the reason for its absence as text for the output of a skipped test
 */
export function findPreviousRelease() {
  if (git('rev-parse', '--is-shallow-repository') !== 'false')
    return 'The previous release cannot be built: this clone does not have the whole history (git fetch --unshallow).';
  const commits = git('log', '--format=%H', '-G^  "version":', '--', 'package.json')?.split('\n') ?? [];
  const head = git('rev-parse', 'HEAD');
  for (const commit of commits.filter((each) => each !== head)) {
    const { version } = JSON.parse(git('show', `${commit}:package.json`) ?? '{}');
    if (version && git('show', `${commit}:CHANGELOG.md`)?.includes(`## [${version}]`)) return { version, commit };
  }
  return 'There is no release before this commit.';
}

/**
 * Builds a release in a separate folder, which is kept for the next run.
 * @param {Release} release
 * @returns {string} the folder as it is deployed
 */
export function buildRelease({ version, commit }) {
  const [node] = process.version.split('.');
  const kept = path.join(cacheDir, 'releases', `${version}-${commit.slice(0, 12)}-${node}`);
  if (existsSync(kept)) return kept;
  // The folder is below the project, because Turbopack resolves no modules outside of it.
  const folder = `${kept}.partial`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const run = (/** @type {string} */ program, /** @type {string[]} */ args, cwd = folder) =>
    execFileSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  run('git', ['archive', '--output', path.join(folder, 'source.tar'), commit], root);
  run('tar', ['-xf', 'source.tar']);
  // Hard links, because a copy takes minutes. npm then replaces packages whose version differs in the release's lock
  // file.
  run('cp', ['-al', path.join(root, 'node_modules'), folder]);
  run(process.execPath, ['--eval', "import('./scripts/lib/install.mjs').then((it) => it.installDependencies())"]);
  run(process.execPath, ['scripts/build.mjs', testDistDir]);
  renameSync(path.join(folder, testDistDir, 'standalone'), kept);
  rmSync(folder, { recursive: true });
  return kept;
}
