import { readdirSync } from 'node:fs';
import path from 'node:path';
import { root } from './paths.mjs';

/** Handles requests that match no API route. */
const UNKNOWN = '[...unknown].ts';

/** @returns {{ path: string, file: string }[]} every API route: its path as in OpenAPI, and its file */
export function apiFiles() {
  return apiNames().flatMap((name) => {
    const address = getAddress(name);
    return address === null ? [] : [{ path: address, file: `/pages/api/${name}` }];
  });
}

/** @returns {string[]} every route file, below pages/api */
export function apiNames() {
  const names = readdirSync(path.join(root, 'pages/api'), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => name.replaceAll(path.sep, '/'));
}

/**
 * @param {string} name below pages/api
 * @returns {string | null} its path as in OpenAPI; null for the catch-all route
 */
export function getAddress(name) {
  if (name === UNKNOWN) return null;
  const route = name.replace(/(?:\/index)?\.ts$/, '');
  return `/api/${route.replaceAll(/\[(?:\.\.\.)?(\w+)\]/g, '{$1}')}`;
}
