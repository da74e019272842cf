// Lists missing texts of each language and texts whose English has changed: `npm run translations`. After you have
// compared a language with the English texts: `npm run translations -- done es`.
import path from 'node:path';
import { root } from './lib/paths.mjs';
import { loadSource } from './lib/source-loader.mjs';
import { compareTexts, recordTexts } from './lib/translations.mjs';

/** @type {typeof import('../lib/shared/i18n/languages')} */
const { languages, SOURCE_LANGUAGE } = loadSource('/lib/shared/i18n/languages.ts');
const folder = path.join(root, 'locales');
const [command, ...done] = process.argv.slice(2);
if (command === 'done') for (const language of done) recordTexts(folder, language);
const shown = command === 'done' ? done : languages.filter((each) => each !== SOURCE_LANGUAGE);

for (const language of shown) {
  const findings = Object.entries(compareTexts(folder, language)).filter(([, keys]) => keys.length > 0);
  console.log(`${language}: ${findings.length === 0 ? 'complete, and from the English texts as they are' : ''}`);
  for (const [kind, keys] of findings) console.log(keys.map((key) => `  ${kind}: ${key}`).join('\n'));
}
