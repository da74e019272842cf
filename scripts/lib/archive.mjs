import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './paths.mjs';

/** Files and folders that operators copy or read. The archive has them beside the program. */
const DOCUMENTS = ['CHANGELOG.md', 'UPGRADING.md', 'deploy', 'docs'];

/** @typedef {{ name: string, version: string, licenses?: { expression?: string, license?: { id?: string, name?: string } }[] }} Component */
/** @typedef {{ ref: string, dependsOn: string[] }} Edge */

/**
 * Lists the shipped libraries in the CycloneDX format: production dependencies, and everything else that the build has
 * copied. Libraries that only development tools need are left out.
 * @param {string} standalone the folder of the build @param {number} time of the build, in seconds since 1970
 * @returns {{ components: Component[] }}
 */
function readBill(standalone, time) {
  const args = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only'];
  const bill = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }));
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const shipped = Object.entries(packages)
    .filter(
      ([place, { dev, devOptional }]) =>
        place !== '' && (!(dev || devOptional) || existsSync(path.join(standalone, place))),
    )
    .map(([place, { version, license }]) => ({ name: place.replace(/.*node_modules\//, ''), version, license }));
  const refs = new Set([bill.metadata.component, ...shipped].map(({ name, version }) => `${name}@${version}`));
  const isShipped = (/** @type {string} */ ref) => refs.has(ref);
  bill.components = bill.components.filter((/** @type {Component} */ { name, version }) =>
    isShipped(`${name}@${version}`),
  );
  bill.dependencies = bill.dependencies
    .filter((/** @type {Edge} */ { ref }) => isShipped(ref))
    .map((/** @type {Edge} */ { ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isShipped) }));
  // `--omit=dev` also omits a production library that a development tool depends on, such as react.
  const named = new Set(bill.components.map((/** @type {Component} */ { name, version }) => `${name}@${version}`));
  for (const { name, version, license } of shipped) {
    if (named.has(`${name}@${version}`)) continue;
    named.add(`${name}@${version}`);
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    const licenses = license ? [{ expression: license }] : [];
    bill.components.push({ 'bom-ref': `${name}@${version}`, type: 'library', name, version, purl, licenses });
  }
  // By default, npm uses the folder's name, the current time and a random number. The build must be reproducible.
  bill.metadata.component.name = 'learner-identity';
  bill.metadata.timestamp = new Date(time * 1000).toISOString();
  delete bill.serialNumber;
  return bill;
}

/**
 * Collects the license of each library, as its full text if the library ships it.
 * @param {Component[]} components
 */
function collectLicenses(components) {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const folders = new Map(
    Object.entries(packages).map(([place, { version }]) => [
      `${place.replace(/.*node_modules\//, '')}@${version}`,
      place,
    ]),
  );
  return components
    .map(({ name, version, licenses = [] }) => {
      const folder = path.join(root, folders.get(`${name}@${version}`) ?? '-');
      const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
      const files = entries.filter((entry) => entry.isFile() && /^(?:lic|copying|notice)/i.test(entry.name));
      const texts = files.map((file) => readFileSync(path.join(folder, file.name), 'utf8').trim());
      const ids =
        licenses.map(({ expression, license }) => expression ?? license?.id ?? license?.name).join(', ') ||
        'see its package';
      return [`${name} ${version}`, `License: ${ids}`, ...texts].join('\n\n');
    })
    .join(`\n\n${'-'.repeat(80)}\n\n`);
}

/**
 * Packs a build for operators. Writes an archive with the program and its documents, the list of its libraries, their
 * licenses, and the checksums of these files.
 * @param {{ standalone: string, out: string, version: string, time: number }} options `standalone`: the folder of the
 * build. `out`: the folder for the written files. `time`: the timestamp of every file in the archive, in seconds since
 * 1970, so that the same build has the same checksum
 * @returns {string[]} names of the files
 */
export function packArchive({ standalone, out, version, time }) {
  const name = `learner-identity-${version}`;
  const folder = path.join(out, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  cpSync(standalone, folder, { recursive: true, verbatimSymlinks: true });
  for (const each of DOCUMENTS) cpSync(path.join(root, each), path.join(folder, each), { recursive: true });
  const bill = readBill(standalone, time);
  writeFileSync(path.join(folder, 'sbom.cdx.json'), JSON.stringify(bill, null, 2));
  writeFileSync(path.join(folder, 'THIRD-PARTY-LICENSES.txt'), `${collectLicenses(bill.components)}\n`);
  const archive = `${name}.tar.gz`;
  const sameForAll = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mode=go-w', `--mtime=@${time}`];
  execFileSync('tar', [...sameForAll, '-I', 'gzip -n', '-cf', path.join(out, archive), '-C', out, name]);
  const sbom = `${name}.sbom.cdx.json`;
  cpSync(path.join(folder, 'sbom.cdx.json'), path.join(out, sbom));
  rmSync(folder, { recursive: true });
  const sums = [archive, sbom].map((file) => `${digest(path.join(out, file))}  ${file}`);
  writeFileSync(path.join(out, 'SHA256SUMS'), `${sums.join('\n')}\n`);
  return [archive, sbom, 'SHA256SUMS'];
}

/** @param {string} file */
const digest = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');
