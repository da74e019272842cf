// Explains how the app evaluates a URL or origin: `npm run explain -- https://learn.campus.example/user/courses`
import { loadSettingsOrDefault } from './lib/settings.mjs';
import { loadSource } from './lib/source-loader.mjs';

const inputs = process.argv.slice(2);
if (inputs.length === 0) {
  console.error('Name what is to be explained: npm run explain -- <redirect_uri or origin> …');
  process.exit(2);
}
console.log(`By ${loadSettingsOrDefault()}:\n`);
const { env } = loadSource('/lib/server/config/env.ts');
const { readConfigFiles } = loadSource('/lib/server/config/files.ts');
const { explain } = loadSource('/lib/server/explain/index.ts');
const { formatConfigFiles, formatExplanation } = loadSource('/lib/server/explain/words.ts');
console.log(`${formatConfigFiles(await readConfigFiles(env())).join('\n')}\n`);
for (const input of inputs) console.log(`${formatExplanation(await explain(input)).join('\n')}\n`);
