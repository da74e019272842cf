import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, runDir, testDistDir } from '../../scripts/lib/paths.mjs';
import { startService } from '../../scripts/lib/processes.mjs';

/** A deployed folder, and the names of its scripts and styles as browsers request them. */
export type Build = { folder: string; files: string[] };

const listFiles = (folder: string) =>
  readdirSync(path.join(folder, testDistDir, 'static'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(?:js|css)$/.test(name),
  );

export const readBuild = (folder: string): Build => ({ folder, files: listFiles(folder) });

/** Returns the build of the tests. */
export const getBuild = () => readBuild(path.join(root, testDistDir, 'standalone'));

/**
 * Makes another build of the same program, whose scripts and styles have other names and contents. A real build would
 * take minutes.
 */
export function makeOtherBuild(name: string): Build {
  mkdirSync(runDir, { recursive: true });
  const folder = path.join(runDir, `build-${name}`);
  rmSync(folder, { recursive: true, force: true });
  // Copies hard links. Files are removed before they are written, so that the original stays unchanged.
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
  return readBuild(folder);
}

export const readBuildFile = ({ folder }: Build, file: string) =>
  readFileSync(path.join(folder, testDistDir, 'static', file), 'utf8');

/**
 * Runs a program of a build with the given variables.
 * @param output destination of its standard output, in shell syntax; a file in `logDir` by default
 */
export function runBuild(
  { folder }: Build,
  program: string[],
  env: Record<string, string>,
  logDir: string,
  output?: string,
) {
  const command = [process.execPath, ...program];
  const options = { cwd: folder, env, logDir };
  const name = program.at(-1) ?? 'build';
  return output === undefined
    ? startService(name, command, options)
    : startService(name, ['bash', '-c', `exec "$0" "$@" ${output}`, ...command], options);
}

/**
 * Lists the scripts and styles of a build that an origin does not serve, because the status is not 200 or the contents
 * differ.
 */
export async function findMissing(origin: string, build: Build): Promise<string[]> {
  const missing: string[] = [];
  for (const file of build.files) {
    const answer = await fetch(`${origin}/_next/static/${file}`);
    if (answer.status !== 200 || (await answer.text()) !== readBuildFile(build, file))
      missing.push(`${String(answer.status)} ${file}`);
  }
  return missing;
}
