import { readdirSync } from 'node:fs';
import path from 'node:path';
import { root } from './paths.mjs';

/** Handles requests that match no API route. */
export const UNKNOWN_ROUTE = '/api/[...unknown]';

/** Every API route: as Next names it, its path as in OpenAPI, and its file. */
export const apiFiles = () => allApiFiles().filter(({ route }) => route !== UNKNOWN_ROUTE);

/** The same with the route for unknown paths. */
export function allApiFiles() {
  const names = readdirSync(path.join(root, 'pages/api'), { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  return files.map((name) => {
    const file = `/pages/api/${name.replaceAll(path.sep, '/')}`;
    const route = file.replace('/pages', '').replace(/(?:\/index)?\.ts$/, '');
    return { route, path: route.replaceAll(/\[(?:\.\.\.)?(\w+)\]/g, '{$1}'), file };
  });
}
