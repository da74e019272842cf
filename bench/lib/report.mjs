import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';

/**
 * Prints the result of a command. With `--write` it also replaces the result in docs/load.md.
 * @param {string} name of the markers around it
 * @param {string} setting
 * @param {unknown[][]} rows of a table: its head, the alignment of its columns, and the others
 */
export function report(name, setting, rows) {
  const text = `${setting}\n\n${rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}`;
  console.log(`\n${text}`);
  if (!process.argv.includes('--write')) return;
  const file = path.join(root, 'docs/load.md');
  const [before = '', , after = ''] = readFileSync(file, 'utf8').split(new RegExp(`<!-- /?${name} -->\n`));
  writeFileSync(file, `${before}<!-- ${name} -->\n${text}\n<!-- /${name} -->\n${after}`);
}
