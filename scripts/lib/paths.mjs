import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * A file of an installed package, without going through `npx`.
 * @param {string} file path below node_modules
 * @returns {string}
 */
export function installed(file) {
  return fileURLToPath(new URL(`../../node_modules/${file}`, import.meta.url));
}

/** Git-ignored: the pictures of the last `npm run screens`. */
export const SCREENS_FOLDER = fileURLToPath(new URL('../../.screens', import.meta.url));
