import { readdirSync } from 'node:fs';
import path from 'node:path';
import { root } from './paths.mjs';

/** Answers what is no call. */
const UNKNOWN = '[...unknown].ts';

/** @returns {{ path: string, file: string }[]} every call of the API: its address as in OpenAPI, and its file */
export function apiFiles() {
  const names = readdirSync(path.join(root, 'pages/api'), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && name !== UNKNOWN)
    .map((name) => ({ path: addressOf(name), file: `/pages/api/${name.replaceAll(path.sep, '/')}` }));
}

/** @param {string} name below pages/api */
function addressOf(name) {
  const route = name.replaceAll(path.sep, '/').replace(/(?:\/index)?\.ts$/, '');
  return `/api/${route.replaceAll(/\[(?:\.\.\.)?(\w+)\]/g, '{$1}')}`;
}
