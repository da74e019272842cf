import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { packArchive } from '../../scripts/lib/archive.mjs';
import { bundlePrograms } from '../../scripts/lib/bundle.mjs';

test('the archive has the program, its documents, the bill of its libraries and their licenses; the same build has the same sum', async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'archive-'));
  const standalone = path.join(dir, 'standalone');
  mkdirSync(path.join(standalone, 'migrations'), { recursive: true });
  // Bundles only the tools, because a build takes minutes.
  await bundlePrograms(standalone);
  execFileSync('cp', ['-r', 'migrations', standalone]);
  // The build copies this library, but no production library requires it.
  mkdirSync(path.join(standalone, 'node_modules/ws'), { recursive: true });
  const pack = (name: string) => {
    const out = path.join(dir, name);
    const files = packArchive({ standalone, out, version: '9.8.7', time: 1_700_000_000 });
    return { out, files };
  };
  const [{ out, files }, again] = [pack('one'), pack('two')];
  expect(files).toEqual(['learner-identity-9.8.7.tar.gz', 'learner-identity-9.8.7.sbom.cdx.json', 'SHA256SUMS']);
  execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: out });

  execFileSync('tar', ['-xzf', 'learner-identity-9.8.7.tar.gz'], { cwd: out });
  const folder = path.join(out, 'learner-identity-9.8.7');
  for (const file of ['server.js', 'cli.js', 'UPGRADING.md', 'deploy/nginx.conf', 'docs/operate/upgrade.md'])
    expect([file, existsSync(path.join(folder, file))]).toEqual([file, true]);
  expect(statSync(path.join(folder, 'cli.js')).mode & 0o022).toBe(0);
  const bill = JSON.parse(readFileSync(path.join(folder, 'sbom.cdx.json'), 'utf8')) as {
    bomFormat: string;
    components: { name: string; version: string }[];
  };
  expect(bill.bomFormat).toBe('CycloneDX');
  const names = bill.components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['next', 'react', 'pg', 'csv-parse', 'oidc-provider', 'ws']));
  expect(names.filter((name) => /^(?:vitest|playwright|typescript|express)$/.test(name))).toEqual([]);
  const licenses = readFileSync(path.join(folder, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  const unnamed = bill.components.filter(({ name, version }) => !licenses.includes(`${name} ${version}\n\nLicense: `));
  expect(unnamed).toEqual([]);
  expect(licenses).toContain('Permission is hereby granted, free of charge');

  const env = { PATH: process.env.PATH, FIREBASE_AUTH_EMULATOR_HOST: 'localhost:9', NEXT_PUBLIC_RELEASE: 'abc1234' };
  const { stdout } = spawnSync(process.execPath, ['cli', 'version'], {
    cwd: folder,
    env: env as unknown as NodeJS.ProcessEnv,
    encoding: 'utf8',
  });
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(stdout).toMatch(
    new RegExp(
      `^learner-identity ${version.replaceAll('.', '\\.')} \\(abc1234\\); it may run beside .*\nlast migration \\d{4}_\\w+\nNode\\.js v`,
    ),
  );
  // The same build has the same checksums.
  expect(readFileSync(path.join(again.out, 'SHA256SUMS'), 'utf8')).toBe(
    readFileSync(path.join(out, 'SHA256SUMS'), 'utf8'),
  );
});
