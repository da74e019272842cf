import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './paths.mjs';

/** Chromium compiles such a script as a whole while it arrives, apart from the page; others read a comment. */
const HINT = '//# allFunctionsCalledOnLoad\n';
/** What smaller files hold, in bytes, is compiled at once anyway. */
const SMALL = 8_000;

/**
 * What the framework leaves undone in the files that browsers fetch.
 * @param {string} distDir folder of a build, below the project
 */
export function finishBrowserFiles(distDir) {
  const folder = path.join(root, distDir);
  /** @type {{ pages: Record<string, string[]> }} */
  const { pages } = JSON.parse(readFileSync(path.join(folder, 'build-manifest.json'), 'utf8'));
  const scripts = new Set(
    Object.values(pages)
      .flat()
      .filter((name) => name.endsWith('.js')),
  );
  for (const name of scripts) change(path.join(folder, name), hinted);

  const id = readFileSync(path.join(folder, 'BUILD_ID'), 'utf8');
  change(path.join(folder, 'static', id, '_buildManifest.js'), withoutApi);
}

/**
 * Has browsers compile what a page begins with apart from the page: otherwise each function is compiled when it is first
 * called, in the very tasks that keep a slow phone from answering. Parts that come later are left as they are: they hold
 * much that is never called.
 * @param {string} script
 */
function hinted(script) {
  return script.length > SMALL && !script.startsWith(HINT) ? HINT + script : script;
}

/** No browser opens an API route as a page. @param {string} manifest */
function withoutApi(manifest) {
  return manifest.replace(/^\s*"\/api\/.*",?\n/gm, '');
}

/** @param {string} file @param {(text: string) => string} how */
function change(file, how) {
  writeFileSync(file, how(readFileSync(file, 'utf8')));
}
