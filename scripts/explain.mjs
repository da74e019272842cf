// Explains how the app evaluates a URL or origin: `npm run explain -- https://learn.campus.example/user/courses`
import { loadSettingsOrDefault } from './lib/settings.mjs';
import { loadSource } from './lib/source-loader.mjs';

const settings = loadSettingsOrDefault();
const args = process.argv.slice(2);
if (args.length > 0 && !args.includes('--help')) console.log(`By ${settings}:\n`);
const { runCommand } = loadSource('/cli/commands.ts');
process.exitCode = await runCommand(['explain', ...args], 'npm run explain --');
