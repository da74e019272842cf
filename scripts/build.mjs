import path from 'node:path';
import { buildApp } from './lib/app.mjs';
import { root } from './lib/paths.mjs';
import { stopServicesOnExit } from './lib/processes.mjs';

stopServicesOnExit();
try {
  const built = await buildApp({ distDir: process.argv[2] ?? '.next', dir: path.join(root, '.test-run') });
  console.log(built ? 'Built.' : 'Built already from this source.');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
