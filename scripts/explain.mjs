// Explains how the app evaluates a URL or origin: `npm run explain -- https://learn.campus.example/user/courses`
import { loadSettingsOrDefault } from './lib/settings.mjs';
import { withSource } from './lib/source-loader.mjs';

const inputs = process.argv.slice(2);
if (inputs.length === 0) {
  console.error('Name what is to be explained: npm run explain -- <redirect_uri or origin> …');
  process.exit(2);
}
console.log(`By ${loadSettingsOrDefault()}:\n`);
await withSource(async (load) => {
  const [{ explain }, { formatExplanation }] = await Promise.all(
    ['/lib/server/explain/index.ts', '/lib/server/explain/words.ts'].map(load),
  );
  for (const input of inputs) console.log(`${formatExplanation(await explain(input)).join('\n')}\n`);
});
