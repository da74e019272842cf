// Builds the app and packs it for operators into `.release/`: `npm run archive`
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildApp } from './lib/app.mjs';
import { packArchive } from './lib/archive.mjs';
import { root, runDir } from './lib/paths.mjs';
import { stopServicesOnExit } from './lib/processes.mjs';

stopServicesOnExit();
try {
  await buildApp({ distDir: '.next', dir: runDir });
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const time = Number(execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }));
  const out = path.join(root, '.release');
  for (const file of packArchive({ standalone: path.join(root, '.next/standalone'), out, version, time }))
    console.log(`.release/${file}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
