import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, runDir, testDistDir } from '../../scripts/lib/paths.mjs';
import { startService } from '../../scripts/lib/processes.mjs';

/** A folder as it is deployed, and the names of its scripts and styles as browsers ask for them. */
export type Build = { folder: string; files: string[] };

const listFiles = (folder: string) =>
  readdirSync(path.join(folder, testDistDir, 'static'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(?:js|css)$/.test(name),
  );

/** The build of the tests. */
export function getBuild(): Build {
  const folder = path.join(root, testDistDir, 'standalone');
  return { folder, files: listFiles(folder) };
}

/** The same program as another build, whose scripts and styles have other names and contents: a build takes minutes. */
export function makeOtherBuild(name: string): Build {
  mkdirSync(runDir, { recursive: true });
  const folder = path.join(runDir, `build-${name}`);
  rmSync(folder, { recursive: true, force: true });
  // Links: what is written is removed first.
  execFileSync('cp', ['-al', getBuild().folder, folder]);
  const at = (file: string) => path.join(folder, testDistDir, 'static', file);
  for (const file of listFiles(folder)) {
    const text = readFileSync(at(file), 'utf8');
    rmSync(at(file));
    writeFileSync(at(file), `/* ${name} */${text}`);
    renameSync(at(file), at(path.join(path.dirname(file), `${name}-${path.basename(file)}`)));
  }
  const id = path.join(folder, testDistDir, 'BUILD_ID');
  rmSync(id);
  writeFileSync(id, name);
  return { folder, files: listFiles(folder) };
}

export const readBuildFile = ({ folder }: Build, file: string) =>
  readFileSync(path.join(folder, testDistDir, 'static', file), 'utf8');

/** Runs a program of a build, with the given variables. */
export function runBuild({ folder }: Build, program: string[], env: Record<string, string>, logDir: string) {
  return startService(program.at(-1) ?? 'build', [process.execPath, ...program], { cwd: folder, env, logDir });
}
