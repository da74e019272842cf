import { readFileSync } from 'node:fs';
import path from 'node:path';

const BUILT = '/_next/';
/** By address; as many as the build has style sheets. */
const known = new Map<string, string | null>();

/**
 * What a built style sheet says, for pages that hold it inline: the first paint then waits for nothing but the page.
 * @param href as the framework links it
 * @returns null for a sheet that is not ours, cannot be read here (it may stand on another host), or could end the element
 */
export function styleText(href: string): string | null {
  const found = known.get(href);
  if (found !== undefined) return found;
  const text = href.startsWith(BUILT) ? read(href.slice(BUILT.length)) : null;
  known.set(href, text);
  return text;
}

function read(file: string): string | null {
  // eslint-disable-next-line no-restricted-properties -- no configuration: the build writes it in (next.config.js)
  const folder = process.env.BUILD_FOLDER;
  if (!folder) return null;
  try {
    const text = readFileSync(path.resolve(folder, decodeURI(file)), 'utf8');
    // Relative addresses would be read against the page's.
    return /<\/style|@import|url\(/i.test(text) ? null : text;
  } catch {
    return null;
  }
}
