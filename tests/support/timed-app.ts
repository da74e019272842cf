import { expect } from '@playwright/test';
import { mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startOtherApp, type Endpoints } from '../../scripts/lib/stack.mjs';

/** Starts another app whose clock can be shifted. */
export async function startTimedApp(shared: Endpoints, seconds = 0) {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'clock-')), 'offset');
  const move = (by: number) => {
    // Replace the file atomically, because the app may be reading it.
    writeFileSync(`${file}.new`, String(by * 1000));
    renameSync(`${file}.new`, file);
  };
  move(seconds);
  const preload = path.resolve('tests/support/clock.cjs');
  const app = await startOtherApp(shared, { CLOCK_FILE: file, NODE_OPTIONS: `--require ${preload}` });
  const advance = async (by: number) => {
    move(by);
    await expect.poll(() => readFileSync(`${file}.taken`, 'utf8')).toBe(String(by * 1000));
  };
  return { ...app, advance };
}
