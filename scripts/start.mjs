// Starts the output of `npm run build`, with the variables of `.env` if it exists: `npm start`
import { existsSync } from 'node:fs';
import { loadSettings } from './lib/settings.mjs';
import { getServerFile } from './lib/standalone.mjs';

const server = getServerFile('.next');
if (!existsSync(server)) {
  console.error('There is no build yet: npm run build');
  process.exit(1);
}
loadSettings();
// Containers set HOSTNAME to their own name, which is not an address to listen on.
Object.assign(process.env, { NODE_ENV: 'production', HOSTNAME: '0.0.0.0' });
await import(server);
