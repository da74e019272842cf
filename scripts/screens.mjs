// Takes pictures of every screen from the running product into .screens. The sign-in page and sheets of all screens go
// to docs/images. With languages as arguments (`npm run screens -- ar en-XA`), it makes a folder for each language, and
// also takes pictures at 320 px.
import { spawnSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { writeContactSheets } from './lib/contact-sheet.mjs';
import { recordOutlines } from './lib/outlines-of-pictures.mjs';
import { SCREENS_FOLDER, installed, root } from './lib/paths.mjs';

// Four pictures of each state take longer than the usual time limit of a test.
const options = ['tests/e2e/screens-', '--reporter=line', '--timeout=300000'];
const tour = [installed('@playwright/test/cli.js'), 'test', ...options];
const languages = process.argv.slice(2);
rmSync(SCREENS_FOLDER, { recursive: true, force: true });
const env = { ...process.env, SCREENS: languages.join(',') || 'en' };
const { status } = spawnSync(process.execPath, tour, { stdio: 'inherit', env });
if (status === 0 && languages.length === 0) {
  copyFileSync(path.join(SCREENS_FOLDER, 'sign-in.desktop.light.webp'), path.join(root, 'docs/images/sign-in.webp'));
  await writeContactSheets();
  recordOutlines();
}
process.exit(status ?? 1);
