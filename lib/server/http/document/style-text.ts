import { readFileSync } from 'node:fs';
import path from 'node:path';

const BUILT = '/_next/';
/** Keyed by URL; bounded by the number of style sheets in the build. */
const texts = new Map<string, string | null>();

/**
 * Reads a built style sheet, for pages that inline it so that the first paint needs only the document.
 * @param href as the framework links it
 * @returns null for a sheet that is not ours, cannot be read here (it may be on another host), or could close the
 *   element
 */
export function readStyleSheet(href: string): string | null {
  const found = texts.get(href);
  if (found !== undefined) return found;
  if (!href.startsWith(BUILT)) return null;
  try {
    const text = read(href.slice(BUILT.length));
    texts.set(href, text);
    return text;
  } catch {
    // Not remembered: the next page may be able to, once the process has a file handle for it.
    return null;
  }
}

function read(file: string): string | null {
  // eslint-disable-next-line no-restricted-properties -- no configuration: the build writes it in (next.config.js)
  const folder = process.env.BUILD_FOLDER;
  if (!folder) return null;
  const text = readFileSync(path.resolve(folder, decodeURI(file)), 'utf8');
  // Relative URLs would resolve against the page.
  return /<\/style|@import|url\(/i.test(text) ? null : text;
}
