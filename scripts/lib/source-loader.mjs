import { require as load } from 'tsx/cjs/api';

/**
 * Loads TypeScript of the app into this process, without a build.
 * @param {string} file path such as `/lib/…`
 * @returns {any}
 */
export const loadSource = (file) => load(`../..${file}`, import.meta.url);
