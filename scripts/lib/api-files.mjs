import { readdirSync } from 'node:fs';
import path from 'node:path';
import { root } from './paths.mjs';

/** Handles requests that match no API route. */
export const UNKNOWN_ROUTE = '/api/[...unknown]';

/** Routes that are not in the API description. The OpenID Provider describes itself in its discovery document. */
export const WITHOUT_DESCRIPTION = [UNKNOWN_ROUTE, '/api/oidc/[...path]'];

/** Lists every described API route with its name in Next, its OpenAPI path, and its file. */
export const apiFiles = () => allApiFiles().filter(({ route }) => !WITHOUT_DESCRIPTION.includes(route));

/** Lists every API route, including routes that are not described. */
export function allApiFiles() {
  const names = readdirSync(path.join(root, 'pages/api'), { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  return files.map((name) => {
    const file = `/pages/api/${name.replaceAll(path.sep, '/')}`;
    const route = file.replace('/pages', '').replace(/(?:\/index)?\.ts$/, '');
    return { route, path: route.replaceAll(/\[(?:\.\.\.)?(\w+)\]/g, '{$1}'), file };
  });
}
