import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';

/**
 * Replaces what a command has measured in docs/load.md.
 * @param {string} name of the markers around it
 * @param {string} text
 */
export function keep(name, text) {
  const file = path.join(root, 'docs/load.md');
  const [before = '', , after = ''] = readFileSync(file, 'utf8').split(new RegExp(`<!-- /?${name} -->\n`));
  writeFileSync(file, `${before}<!-- ${name} -->\n${text}\n<!-- /${name} -->\n${after}`);
}
