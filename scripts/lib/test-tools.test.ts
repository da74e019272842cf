import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { prepareRedis } from './test-tools.mjs';

let machine = '';
let said: string[] = [];

/** A machine whose PATH contains only the programs that a test adds. */
beforeEach(() => {
  machine = mkdtempSync(path.join(os.tmpdir(), 'bare-machine-'));
  said = [];
  vi.stubEnv('PATH', machine);
  vi.spyOn(console, 'log').mockImplementation((text: string) => said.push(text));
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(machine, { recursive: true });
});

function put(name: string, script: string): void {
  writeFileSync(path.join(machine, name), `#!/bin/sh\n${script}\n`);
  chmodSync(path.join(machine, name), 0o755);
}
const calls = () => (existsSync(path.join(machine, 'calls')) ? readFileSync(path.join(machine, 'calls'), 'utf8') : '');
const RECORD = `echo "$@" >> "\${0%/*}/calls"`;
const beRoot = (isRoot: boolean) => vi.spyOn(process, 'getuid').mockReturnValue(isRoot ? 0 : 1000);

test('installed tools are used without a message', () => {
  put('redis-server', 'exit 0');
  put('apt-get', RECORD);
  prepareRedis();
  expect(said).toEqual([]);
  expect(calls()).toBe('');
});

test('root installs missing tools, after printing what and why', () => {
  beRoot(true);
  put('apt-get', RECORD);
  prepareRedis();
  expect(said).toEqual([expect.stringMatching(/need Redis.* Installing the system package redis-server/)]);
  expect(calls()).toBe('update\ninstall -y --no-install-recommends redis-server\n');
});

test('a failed installation prints the command and the consequence', () => {
  beRoot(true);
  put('apt-get', 'exit 100');
  prepareRedis();
  expect(said.join('\n')).toContain('apt-get install -y --no-install-recommends redis-server');
  expect(said.at(-1)).toContain('skipped');
});

test('other users get the command, and nothing is installed', () => {
  beRoot(false);
  put('apt-get', RECORD);
  prepareRedis();
  expect(said[0]).toMatch(/need Redis.* sudo apt-get install -y --no-install-recommends redis-server$/);
  expect(said.at(-1)).toContain('skipped');
  expect(calls()).toBe('');
});

test('without apt-get, another command is printed', () => {
  prepareRedis();
  expect(said[0]).toMatch(/need Redis.* Install it/);
  expect(said.at(-1)).toContain('skipped');
});
