// Generates the documents derived from the code: `npm run docs`
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format } from 'prettier';
import { apiFiles } from './lib/api-files.mjs';
import { root } from './lib/paths.mjs';
import { withSource } from './lib/source-loader.mjs';

const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

const made = await withSource(async (load) => {
  const [{ describeApi }, { buildConfigurationReference }] = await Promise.all([
    load('/lib/server/openapi/index.ts'),
    load('/lib/server/config/reference.ts'),
  ]);
  const handlers = await Promise.all(apiFiles().map(async ({ path, file }) => [path, (await load(file)).default]));
  const description = describeApi(Object.fromEntries(handlers), version);
  return {
    'openapi.json': await format(JSON.stringify(description), { parser: 'json', printWidth: 120 }),
    'configuration.md': buildConfigurationReference(),
  };
});
for (const [name, text] of Object.entries(made)) {
  writeFileSync(path.join(root, 'docs', name), text);
  console.log(`docs/${name}`);
}
