// Adds the optional packages of other platforms to the lock file. npm leaves them out when the registry that the lock
// file was created with does not carry them, and `npm ci` then rejects the file on every platform. Run it after adding
// a dependency. Packages missing from that registry have no integrity hash here; npm adds it when the registry has it.
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
const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en'));
lock.packages = Object.fromEntries(sorted);
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
