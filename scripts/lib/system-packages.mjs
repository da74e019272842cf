import { spawnSync } from 'node:child_process';
import { findOnPath } from './redis.mjs';

const LIMIT_MS = 10 * 60_000;
const INSTALL = 'apt-get install -y --no-install-recommends';

/**
 * Installs a Debian package if this account may, and prints which and why first; otherwise prints the command.
 * @param {{ names: string[], why: string, elsewhere: Partial<Record<NodeJS.Platform, string>> & { default: string } }} wanted
 *   `names`: of the package, and of those to take instead where there is none of that name; `why`: one sentence;
 *   `elsewhere`: instructions by platform without apt-get
 * @returns {boolean} whether it was installed
 */
export function installPackage({ names, why, elsewhere }) {
  const [name = ''] = names;
  const command = `${INSTALL} ${name}`;
  if (!findOnPath(['apt-get'])) {
    console.log(`${why} ${elsewhere[process.platform] ?? elsewhere.default}`);
    return false;
  }
  if (process.getuid?.() !== 0) {
    console.log(`${why} Only root may install it: sudo ${command}`);
    return false;
  }
  console.log(`${why} Installing the system package ${name}…`);
  const done = aptGet('apt-get update') && names.some((each) => aptGet(`${INSTALL} ${each}`));
  if (!done) console.log(`It could not be installed. Try it yourself: apt-get update && ${command}`);
  return done;
}

/** @param {string} command @returns {boolean} */
function aptGet(command) {
  const args = command.split(' ').slice(1);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', args, { env, stdio: 'ignore', timeout: LIMIT_MS }).status === 0;
}
