import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Where browsers ask for the scripts and styles of a build. */
export const BUILD_FILES_PATH = '/_next/static/';

const MEDIA_TYPES: Record<string, string> = {
  '.js': 'application/javascript; charset=UTF-8',
  '.css': 'text/css; charset=UTF-8',
};

/** @returns undefined for a file that no build has */
export const getBuildFileType = (file: string): string | undefined => MEDIA_TYPES[path.extname(file)];

/** In a checkout its default. */
function getBuildFolder(): string {
  // oxlint-disable-next-line no-restricted-properties -- no configuration: the build writes it in (next.config.js, scripts/lib/bundle.mjs)
  return path.resolve(process.env.BUILD_FOLDER || '.next');
}

/** Names of the scripts and styles of this build, below its folder; none in development. */
export function listBuildFiles(): string[] {
  const folder = path.join(getBuildFolder(), 'static');
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => getBuildFileType(name) !== undefined).map((name) => name.replaceAll(path.sep, '/'));
}

export const readBuildFile = (name: string): Buffer => readFileSync(path.join(getBuildFolder(), 'static', name));

/** The id that the framework has given this build. */
export const readBuildId = (): string => readFileSync(path.join(getBuildFolder(), 'BUILD_ID'), 'utf8');
