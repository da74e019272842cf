import { buildApp } from './lib/app.mjs';
import { runDir } from './lib/paths.mjs';
import { stopServicesOnExit } from './lib/processes.mjs';

stopServicesOnExit();
try {
  const built = await buildApp({ distDir: process.argv[2] ?? '.next', dir: runDir });
  console.log(built ? 'Built.' : 'Built already from this source.');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
