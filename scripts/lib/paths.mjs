import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = path.resolve(fileURLToPath(import.meta.url), '../../..');
/** Folder for the reports and logs of a test run. */
export const runDir = path.join(root, '.test-run');
/** Caches for the next run. Only this part of `runDir` is kept after a run. */
export const cacheDir = path.join(runDir, 'cache');
/** A separate build for the tests, so that a running demo keeps its own. */
export const testDistDir = '.next-test';
/** Pictures of the last `npm run screens`. Git ignores this folder. */
export const SCREENS_FOLDER = path.join(root, '.screens');

/**
 * Returns the path of a file of an installed package, to run it without `npx`. @param {string} file path below
 * node_modules
 */
export const installed = (file) => path.join(root, 'node_modules', file);

/** Branding and organizations of the local default. No build contains these files. */
export const sampleFiles = {
  ORIGINS_FILE: path.join(root, 'config/origins.local.json'),
  DIRECTORY_FILE: path.join(root, 'config/directory.local.json'),
};
