import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { forgetDemo, rememberDemo, runningDemo, stopLeftovers } from './demo-state.mjs';

const NOBODY = 2 ** 22 + 1;
let dir = '';
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'demo-state-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

function sleeper(name: string) {
  // Its command line contains the name, as a demo's does.
  return spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', name], { detached: true, stdio: 'ignore' });
}

test('a demo that runs is known until it is forgotten', () => {
  const demo = sleeper('demo.mjs');
  rememberDemo(dir, { pid: demo.pid ?? 0, appOrigin: 'http://localhost:3000', services: [] });
  expect(runningDemo(dir)?.appOrigin).toBe('http://localhost:3000');
  forgetDemo(dir);
  expect(runningDemo(dir)).toBeUndefined();
  demo.kill('SIGKILL');
});

test('a demo that was killed does not count, nor one whose number belongs to something else now', () => {
  rememberDemo(dir, { pid: NOBODY, appOrigin: 'http://localhost:3000', services: [] });
  expect(runningDemo(dir)).toBeUndefined();
  rememberDemo(dir, { pid: process.pid, appOrigin: 'http://localhost:3000', services: [] });
  expect(runningDemo(dir)).toBeUndefined();
});

test('what a killed demo left running is stopped', async () => {
  const leftover = sleeper('app');
  const ended = new Promise((resolve) => leftover.once('exit', (_, signal) => resolve(signal)));
  rememberDemo(dir, { pid: NOBODY, appOrigin: 'http://localhost:3000', services: [leftover.pid ?? 0] });
  stopLeftovers(dir);
  expect(await ended).toBe('SIGKILL');
});
