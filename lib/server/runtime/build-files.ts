import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Path of the scripts and styles of a build. */
export const BUILD_FILES_PATH = '/_next/static/';

const MEDIA_TYPES: Record<string, string> = {
  '.js': 'application/javascript; charset=UTF-8',
  '.css': 'text/css; charset=UTF-8',
};

/** @returns undefined for a file that is neither a script nor a style sheet */
export const getBuildFileType = (file: string): string | undefined => MEDIA_TYPES[path.extname(file)];

/** A checkout uses the framework's default folder. */
function getBuildFolder(): string {
  // oxlint-disable-next-line no-restricted-properties -- no configuration: the build writes it in (next.config.js, scripts/lib/bundle.mjs)
  return path.resolve(process.env.BUILD_FOLDER || '.next');
}

/** Lists all files of this build that browsers may request, as paths below its static folder. Empty in development. */
export function listStaticFiles(): string[] {
  const folder = path.join(getBuildFolder(), 'static');
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.map((name) => name.replaceAll(path.sep, '/'));
}

/** Lists the scripts and styles of this build. */
export const listBuildFiles = (): string[] => listStaticFiles().filter((name) => getBuildFileType(name) !== undefined);

export const readBuildFile = (name: string): Buffer => readFileSync(path.join(getBuildFolder(), 'static', name));

/** Reads the id that the framework has given to this build. */
export const readBuildId = (): string => readFileSync(path.join(getBuildFolder(), 'BUILD_ID'), 'utf8');
