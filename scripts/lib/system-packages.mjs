import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

const LIMIT_MS = 10 * 60_000;
const INSTALL = 'apt-get install -y --no-install-recommends';

/**
 * Installs a Debian package if this OS account may, after printing its name and purpose. Otherwise it prints the
 * command.
 * @param {{ names: string[], why: string, elsewhere: string }} wanted `names`: the package's name, then alternatives in
 * case the name does not exist. `why`: one sentence. `elsewhere`: instructions without apt-get
 * @returns {boolean} whether it was installed
 */
export function installPackage({ names, why, elsewhere }) {
  const [name = ''] = names;
  const hasApt = findOnPath('apt-get') !== undefined;
  if (!hasApt || process.getuid?.() !== 0) {
    console.log(`${why} ${hasApt ? `Only root may install it: sudo ${INSTALL} ${name}` : elsewhere}`);
    return false;
  }
  console.log(`${why} Installing the system package ${name}…`);
  const done = aptGet('apt-get update') && names.some((each) => aptGet(`${INSTALL} ${each}`));
  if (!done) console.log(`It could not be installed. Try it yourself: apt-get update && ${INSTALL} ${name}`);
  return done;
}

/** @param {string} program @returns {string | undefined} the program's file, if it is on the PATH */
export function findOnPath(program) {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  return folders.map((folder) => path.join(folder, program)).find((file) => existsSync(file));
}

/** @param {string} command @returns {boolean} */
function aptGet(command) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', command.split(' ').slice(1), { env, stdio: 'ignore', timeout: LIMIT_MS }).status === 0;
}
