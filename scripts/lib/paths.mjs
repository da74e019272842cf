import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = path.resolve(fileURLToPath(import.meta.url), '../../..');
/** Reports and logs of a test run. */
export const runDir = path.join(root, '.test-run');
/** Caches for the next run: the only part of `runDir` that is kept after a run. */
export const cacheDir = path.join(runDir, 'cache');
/** A separate build for the tests, so that a running demo keeps its own. */
export const testDistDir = '.next-test';
/** Git-ignored: the pictures of the last `npm run screens`. */
export const SCREENS_FOLDER = path.join(root, '.screens');

/** A file of an installed package, without going through `npx`. @param {string} file path below node_modules */
export const installed = (file) => path.join(root, 'node_modules', file);

/** The branding and the organizations of the local default. No build contains them. */
export const sampleFiles = {
  ORIGINS_FILE: path.join(root, 'config/origins.local.json'),
  DIRECTORY_FILE: path.join(root, 'config/directory.local.json'),
};
