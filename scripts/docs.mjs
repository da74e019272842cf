// Generates the documents that are derived from the code: `npm run docs`
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format } from 'oxfmt';
import { apiFiles } from './lib/api-files.mjs';
import { root } from './lib/paths.mjs';
import { loadSource } from './lib/source-loader.mjs';

// Some bodies depend on the configuration. The description shows the bodies of local development.
process.env.FIREBASE_AUTH_EMULATOR_HOST ??= 'localhost:9099';

const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const { describeApi } = loadSource('/scripts/openapi/index.ts');
const { buildKindsReference } = loadSource('/scripts/kinds-docs.ts');
const { buildConfigurationReference, buildEnvExample } = loadSource('/scripts/env-docs.ts');

const handlers = apiFiles().map(({ path: address, file }) => [address, loadSource(file).default]);
const description = JSON.stringify(describeApi(Object.fromEntries(handlers), version));
const made = {
  'docs/openapi.json': (await format('openapi.json', description, { printWidth: 120 })).code,
  'docs/configuration.md': buildConfigurationReference(),
  '.env.example': buildEnvExample(),
  'docs/support/kinds.md': buildKindsReference(),
};
for (const [name, text] of Object.entries(made)) {
  writeFileSync(path.join(root, name), text);
  console.log(name);
}
