import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { installed } from './paths.mjs';
import { findOnPath } from './redis.mjs';

const MAC_CHROME = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const LIMIT_MS = 10 * 60_000;

/**
 * Finds a browser for the end-to-end tests, or installs one.
 * @returns {{ CHROMIUM_PATH?: string }} nothing when there is none: the tests then fail and say so
 */
export function prepareBrowser() {
  const found = findBrowser() ?? downloadBrowser() ?? (installPackage('chromium') ? findBrowser() : undefined);
  if (found) return { CHROMIUM_PATH: found };
  console.log('No browser for the end-to-end tests: install Chromium or set CHROMIUM_PATH to one.');
  return {};
}

/** Sees to it that a `redis-server` is on the PATH, or says what follows. */
export function prepareRedis() {
  if (findOnPath(['redis-server']) || installPackage('redis-server')) return;
  console.log('No redis-server: the tests that need one are skipped. Install Redis to run them.');
}

/** @returns {string | undefined} a browser that starts */
export function findBrowser() {
  const onPath = NAMES.map((name) => findOnPath([name]));
  const candidates = [process.env.CHROMIUM_PATH, playwrightsOwn(), ...onPath, MAC_CHROME];
  return candidates.find((file) => file && spawnSync(file, ['--version'], { timeout: 30_000 }).status === 0);
}

/** @returns {string | undefined} */
function playwrightsOwn() {
  return createRequire(import.meta.url)('@playwright/test').chromium.executablePath();
}

/** @returns {string | undefined} */
function downloadBrowser() {
  console.log("No browser found: trying Playwright's download…");
  const command = [installed('@playwright/test/cli.js'), 'install', 'chromium'];
  spawnSync(process.execPath, command, { stdio: 'ignore', timeout: LIMIT_MS });
  return findBrowser();
}

/** @param {string} name of a Debian package @returns {boolean} */
function installPackage(name) {
  if (process.getuid?.() !== 0 || !findOnPath(['apt-get'])) return false;
  console.log(`Installing the ${name} package…`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const run = (/** @type {string[]} */ args) =>
    spawnSync('apt-get', args, { env, stdio: 'ignore', timeout: LIMIT_MS }).status === 0;
  run(['update']);
  return run(['install', '-y', '--no-install-recommends', name]);
}
