// Adds the optional packages of other platforms to the lock file. npm omits a package if the registry did not carry it
// when the lock file was created. `npm ci` then rejects the file on every platform. Run this script after you add a
// dependency. It asks the registry for each missing integrity hash and fails if the registry has none, because `npm ci`
// would install such a package unverified.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './lib/paths.mjs';

const OS = ['android', 'darwin', 'freebsd', 'linux', 'openbsd', 'openharmony', 'win32', 'aix', 'netbsd', 'sunos'];
const CPU = ['arm', 'arm64', 'ia32', 'x64', 'ppc64', 'riscv64', 's390x', 'loong64'];

const file = path.join(root, 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8'));

for (const [place, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const isExact = /^\d+\.\d+\.\d+[\w.+-]*$/.test(version);
    if (!isExact || lock.packages[`node_modules/${name}`] || lock.packages[`${place}/node_modules/${name}`]) continue;
    const words = name.split(/[/-]/);
    const os = OS.filter((word) => words.includes(word));
    const cpu = CPU.filter((word) => words.includes(word));
    if (os.length === 0) continue;
    const libc = words.includes('musl') ? ['musl'] : words.includes('gnu') && os[0] === 'linux' ? ['glibc'] : undefined;
    lock.packages[`node_modules/${name}`] = { version, cpu, dev: entry.dev, libc, optional: true, os };
    console.log(`added ${name}@${version}`);
  }
}

const MODULES = 'node_modules/';

/** @param {string} name @param {string} version */
function fetchIntegrity(name, version) {
  const answer = execFileSync('npm', ['view', `${name}@${version}`, 'dist.integrity'], { encoding: 'utf8' }).trim();
  if (!/^sha512-[\w+/]+=*$/.test(answer)) throw new Error(`The registry has no integrity of ${name}@${version}`);
  return answer;
}

for (const [place, entry] of Object.entries(lock.packages)) {
  if (place === '' || entry.link || entry.integrity) continue;
  const name = entry.name ?? place.slice(place.lastIndexOf(MODULES) + MODULES.length);
  entry.integrity = fetchIntegrity(name, entry.version);
  console.log(`verified ${name}@${entry.version}`);
}
const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en'));
lock.packages = Object.fromEntries(sorted);
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
