// Starts the output of `npm run build`, with the variables of `.env` if the file exists: `npm start`
import { existsSync } from 'node:fs';
import path from 'node:path';
import { root } from './lib/paths.mjs';
import { loadSettings } from './lib/settings.mjs';

const server = path.join(root, process.argv[2] ?? '.next', 'standalone/server.js');
if (!existsSync(server)) {
  console.error('There is no build yet: npm run build');
  process.exit(1);
}
loadSettings();
// Containers set HOSTNAME to their own name, which is not a usable listening address.
Object.assign(process.env, { NODE_ENV: 'production', HOSTNAME: '0.0.0.0' });
await import(server);
