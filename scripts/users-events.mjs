// Exports the security events of one account as JSON: `npm run users:events -- --email lena@campus.test`
import { parseArgs } from 'node:util';
import { loadSettings } from './lib/settings.mjs';
import { loadSource } from './lib/source-loader.mjs';

const HELP = `npm run users:events -- --email <address> | --uid <id>

Prints the recorded security events of one account as JSON, newest first. A deleted account is found by its uid only.
The embedded database serves one process: stop the app first.`;

const text = { type: /** @type {const} */ ('string') };
try {
  const { email, uid } = parseArgs({ options: { email: text, uid: text } }).values;
  if ((email === undefined) === (uid === undefined)) {
    console.error(HELP);
    process.exitCode = 2;
  } else {
    loadSettings();
    const { exportAccountEvents } = loadSource('/lib/server/records/export.ts');
    console.log(JSON.stringify(await exportAccountEvents({ email, uid }), null, 2));
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
