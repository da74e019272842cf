// Creates docs/screens from the running product: runs the browser tests of every screen with screenshots enabled.
import { spawnSync } from 'node:child_process';
import { writeGallery } from './lib/gallery.mjs';
import { installed } from './lib/paths.mjs';

const tour = [installed('@playwright/test/cli.js'), 'test', 'tests/e2e/screens-', '--reporter=line'];
const { status } = spawnSync(process.execPath, tour, { stdio: 'inherit', env: { ...process.env, SCREENS: '1' } });
if (status === 0) writeGallery();
process.exit(status ?? 1);
