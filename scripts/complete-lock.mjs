// Adds the optional packages of other platforms to the lock file, which npm leaves out when the registry it was made
// with does not carry them; `npm ci` then refuses the file everywhere. Run it after a dependency was added. What that registry
// does not carry has no hash of content here; npm adds it where the registry does.
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
