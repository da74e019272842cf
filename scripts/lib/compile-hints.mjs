import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import nextConfig from '../../next.config.js';
import { root } from './paths.mjs';

/** The hash salt of file names is the hint itself (next.config.js). */
const HINT = `${nextConfig.outputHashSalt}\n`;
/** Chromium compiles smaller scripts eagerly even without the hint. */
const SMALL_BYTES = 8_000;

/**
 * Prepends a comment to the scripts that browsers load. Chromium then compiles the whole script on a background thread
 * while it downloads. Without it, each function is compiled on the main thread when it is first called. Other browsers
 * ignore the comment. The bundler has no option for it and removes comments (docs/adr/0019). Only a file's contents
 * decide, never its importers, so that a URL has the same contents in every build.
 * @param {string} distDir build folder, below the project
 */
export function addCompileHints(distDir) {
  const folder = path.join(root, distDir, 'static', 'chunks');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js')) continue;
    const file = path.join(folder, name);
    const script = readFileSync(file, 'utf8');
    if (script.length > SMALL_BYTES && !script.startsWith(HINT)) writeFileSync(file, HINT + script);
  }
}
