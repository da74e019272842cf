// Imports users from a previous system: `npm run users:import -- people.csv --hash BCRYPT --dry-run`
import { loadSettings } from './lib/settings.mjs';
import { loadSource } from './lib/source-loader.mjs';

loadSettings();
const { runCommand } = loadSource('/cli/commands.ts');
process.exitCode = await runCommand(['import', ...process.argv.slice(2)], 'npm run users:import --');
