import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { forgetDemo, rememberDemo, runningDemo, stopLeftovers } from './demo-state.mjs';

const UNKNOWN = 2 ** 22 + 1;
let dir = '';
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'demo-state-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

function sleeper(name: string) {
  // Its command line contains the name, as a demo's does.
  return spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', name], { detached: true, stdio: 'ignore' });
}

test('a running demo is recorded until its record is deleted', () => {
  const demo = sleeper('demo.mjs');
  rememberDemo(dir, { pid: demo.pid ?? 0, appOrigin: 'http://localhost:3000', services: [] });
  expect(runningDemo(dir)?.appOrigin).toBe('http://localhost:3000');
  forgetDemo(dir);
  expect(runningDemo(dir)).toBeUndefined();
  demo.kill('SIGKILL');
});

test('a killed demo does not count, nor one whose process id was reused', () => {
  rememberDemo(dir, { pid: UNKNOWN, appOrigin: 'http://localhost:3000', services: [] });
  expect(runningDemo(dir)).toBeUndefined();
  rememberDemo(dir, { pid: process.pid, appOrigin: 'http://localhost:3000', services: [] });
  expect(runningDemo(dir)).toBeUndefined();
});

test('services left running by a killed demo are stopped', async () => {
  const leftover = sleeper('app');
  const ended = new Promise((resolve) => leftover.once('exit', (_, signal) => resolve(signal)));
  rememberDemo(dir, { pid: UNKNOWN, appOrigin: 'http://localhost:3000', services: [leftover.pid ?? 0] });
  stopLeftovers(dir);
  expect(await ended).toBe('SIGKILL');
});
