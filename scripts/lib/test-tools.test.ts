import { chromium } from '@playwright/test';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { prepareBrowser, prepareTools } from './test-tools.mjs';

const tools = path.resolve('scripts/lib/test-tools.mjs');
let machine = '';
let said: string[] = [];

/** The PATH contains only the programs that a test adds. */
beforeEach(() => {
  machine = mkdtempSync(path.join(os.tmpdir(), 'bare-machine-'));
  said = [];
  vi.stubEnv('PATH', machine);
  vi.stubEnv('CHROMIUM_PATH', '');
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
const prepareRedis = () => prepareTools(new Set(['redis']));
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

describe('the browser', () => {
  // This fake apt-get installs a shell script that can be started.
  const INSTALL_SHELL = `[ "$1" = update ] && exit 0
    shell="\${0%/*}/chromium-headless-shell"
    printf '#!/bin/sh\\n' > "$shell"
    /bin/chmod 755 "$shell"`;

  test('beside a full browser, root gets the headless shell, which is used', () => {
    beRoot(true);
    put('chromium', 'exit 0');
    put('apt-get', `${RECORD}\n${INSTALL_SHELL}`);
    expect(prepareBrowser()).toEqual({ CHROMIUM_PATH: path.join(machine, 'chromium-headless-shell') });
    expect(said).toEqual([expect.stringMatching(/a third less CPU time.* Installing the system package/)]);
    expect(calls()).toBe('update\ninstall -y --no-install-recommends chromium-headless-shell\n');
  });

  test('where it cannot be had, the full browser is used', () => {
    beRoot(true);
    put('chromium', 'exit 0');
    put('apt-get', 'exit 100');
    expect(prepareBrowser()).toEqual({ CHROMIUM_PATH: path.join(machine, 'chromium') });
  });

  test('a headless shell that is there is used without a message', () => {
    put('chromium', 'exit 0');
    put('chromium-headless-shell', 'exit 0');
    expect(prepareBrowser()).toEqual({ CHROMIUM_PATH: path.join(machine, 'chromium-headless-shell') });
    expect(said).toEqual([]);
  });

  test('that of Playwright, too', () => {
    put('chromium', 'exit 0');
    const revision = /chromium-(\d+)/.exec(chromium.executablePath())?.[1] ?? '';
    const folder = `chromium_headless_shell-${revision}/chrome-headless-shell-any`;
    mkdirSync(path.join(machine, folder), { recursive: true });
    put(`${folder}/chrome-headless-shell`, 'exit 0');
    // A separate process is needed, because Playwright reads the variable when it is loaded.
    const source = `import(${JSON.stringify(tools)}).then(({ findBrowser }) => console.log(findBrowser()))`;
    const env = { ...process.env, CHROMIUM_PATH: '', PLAYWRIGHT_BROWSERS_PATH: machine };
    const { stdout } = spawnSync(process.execPath, ['-e', source], { env, encoding: 'utf8' });
    expect(stdout.trim()).toBe(path.join(machine, folder, 'chrome-headless-shell'));
  });

  test('CHROMIUM_PATH is used as it is', () => {
    beRoot(true);
    put('chosen', 'exit 0');
    put('apt-get', RECORD);
    vi.stubEnv('CHROMIUM_PATH', path.join(machine, 'chosen'));
    expect(prepareBrowser()).toEqual({ CHROMIUM_PATH: path.join(machine, 'chosen') });
    expect(calls()).toBe('');
  });
});
