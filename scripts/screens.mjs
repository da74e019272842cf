// Pictures of every screen from the running product, in .screens, and docs/images/screens-{light,dark}.webp of them all.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { writeContactSheets } from './lib/contact-sheet.mjs';
import { SCREENS_FOLDER, installed } from './lib/paths.mjs';

// Four pictures of each state take longer than a test has otherwise.
const tour = [
  installed('@playwright/test/cli.js'),
  'test',
  'tests/e2e/screens-',
  '--reporter=line',
  '--timeout=300000',
];
rmSync(SCREENS_FOLDER, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, tour, { stdio: 'inherit', env: { ...process.env, SCREENS: '1' } });
if (status === 0) await writeContactSheets();
process.exit(status ?? 1);
