import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { hasNginx } from './nginx.mjs';
import { installed } from './paths.mjs';
import { findPostgres } from './postgres.mjs';
import { findOnPath, installPackage } from './system-packages.mjs';

/** The same engine as Chromium, for a third less CPU time, but without its settings. */
const HEADLESS_SHELL = 'chromium-headless-shell';
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MAC_CHROME = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
const LIMIT_MS = 10 * 60_000;

const BROWSER = {
  names: [`chromium ${HEADLESS_SHELL}`, 'chromium'],
  why: 'The browser tests need Chromium, and none was found.',
  elsewhere: 'Install it (npx playwright install --with-deps chromium), or set CHROMIUM_PATH to one.',
};
const SHELL = {
  names: [HEADLESS_SHELL],
  why: 'The browser tests take a third less CPU time with the headless shell of Chromium.',
  elsewhere: 'They run with the browser that was found.',
};
const REDIS = {
  names: ['redis-server'],
  why: 'The tests of several processes need Redis, and no redis-server is on the PATH.',
  elsewhere: 'Install it with the package manager of this system (macOS: brew install redis).',
};
const EXAMPLES = {
  names: ['python3-django php-cli php-apcu'],
  why: 'The tests of examples/django and examples/php need Django and PHP.',
  elsewhere: 'Install them with the package manager of this system.',
};
const SOCIAL_CORE = {
  names: ['python3-social-auth-core python3-jose'],
  why: 'The tests of the OpenID Provider need the library under Open edX.',
  elsewhere: 'Install them with the package manager of this system.',
};
const NGINX = {
  names: ['nginx-light', 'nginx'],
  why: 'The tests of shared caches and of the OpenID Provider need nginx, and none is on the PATH.',
  elsewhere: 'Install it with the package manager of this system (macOS: brew install nginx).',
};
const POSTGRES = {
  names: ['postgresql'],
  why: 'The tests of records need a PostgreSQL server, and none was found.',
  elsewhere: 'Install it with the package manager of this system (macOS: brew install postgresql).',
};

/**
 * Finds a browser for the end-to-end tests, or installs one: the headless shell wherever it can be had, unless
 * CHROMIUM_PATH names another.
 * @returns {Record<string, string>} CHROMIUM_PATH; empty when there is none: the tests then fail and report it
 */
export function prepareBrowser() {
  if (findBrowser() && !process.env.CHROMIUM_PATH && !findShell()) installPackage(SHELL);
  const found = findBrowser() ?? downloadBrowser() ?? (installPackage(BROWSER) ? findBrowser() : undefined);
  return found ? { CHROMIUM_PATH: found } : {};
}

/** Ensures that a `redis-server` is on the PATH, or prints which tests are skipped. */
export function prepareRedis() {
  if (findOnPath('redis-server') || installPackage(REDIS)) return;
  console.log('Without Redis, the tests that need it are skipped.');
}

/** Ensures that an `nginx` is on the PATH, or prints what is skipped. */
export function prepareNginx() {
  if (hasNginx() || installPackage(NGINX)) return;
  console.log('Without nginx, the tests of shared caches are skipped.');
}

/** Ensures that Django and PHP are there, or prints what is skipped. */
export function prepareExamples() {
  const isDjango = spawnSync('/usr/bin/python3', ['-c', 'import django'], { timeout: 30_000 }).status === 0;
  if ((isDjango && findOnPath('php')) || installPackage(EXAMPLES)) return;
  console.log('The tests of the examples whose language is missing are skipped.');
}

/** Ensures that the library under Open edX is there, or prints what is skipped. */
export function prepareSocialCore() {
  const isThere = spawnSync('/usr/bin/python3', ['-c', 'import social_core, jose'], { timeout: 30_000 }).status === 0;
  if (isThere || installPackage(SOCIAL_CORE)) return;
  console.log('Without python3-social-auth-core, its test of the OpenID Provider is skipped.');
}

/** Ensures that a PostgreSQL server is installed, or prints which tests are skipped. */
export function preparePostgres() {
  if (findPostgres() || installPackage(POSTGRES)) return;
  console.log('Without PostgreSQL, the tests of records run on the embedded database only.');
}

/** @returns {string | undefined} a browser that can be started, preferably the headless shell */
export function findBrowser() {
  return findProgram([process.env.CHROMIUM_PATH, findShell(), ...getFullBrowsers()]);
}

/** @returns {string | undefined} the headless shell, of the system or of Playwright, if it can be started */
function findShell() {
  return findProgram([findOnPath(HEADLESS_SHELL), getPlaywrightShell()]);
}

/** @returns {string | undefined} the shell that Playwright has downloaded with its full browser, of the same revision */
function getPlaywrightShell() {
  const [, cache = '', revision] = /^(.*)chromium-(\d+)/.exec(getPlaywrightBrowser()) ?? [];
  const folder = `${cache}chromium_headless_shell-${revision}`;
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  const found = files.find((file) => /^(chrome-headless-shell|headless_shell)(\.exe)?$/.test(path.basename(file)));
  return found && path.join(folder, found);
}

/** @returns {string} where Playwright's full browser is, or would be */
function getPlaywrightBrowser() {
  return createRequire(import.meta.url)('@playwright/test').chromium.executablePath();
}

/** @returns {string | undefined} a browser that reads the settings of its profile */
export function findFullBrowser() {
  return findProgram([...getFullBrowsers(), process.env.CHROMIUM_PATH]);
}

/** @returns {boolean} whether that one is no full browser: the headless shell has no settings, and ignores some flags */
export function hasShellAlone() {
  return /headless.shell/.test(findFullBrowser() ?? '');
}

/** @returns {(string | undefined)[]} */
function getFullBrowsers() {
  return [getPlaywrightBrowser(), ...NAMES.map(findOnPath), MAC_CHROME];
}

/** @param {(string | undefined)[]} candidates @returns {string | undefined} the first that can be started */
function findProgram(candidates) {
  return candidates.find((file) => file && spawnSync(file, ['--version'], { timeout: 30_000 }).status === 0);
}

/** @returns {string | undefined} */
function downloadBrowser() {
  console.log(`${BROWSER.why} Downloading Playwright's (about 170 MB, into its cache in your home)…`);
  const command = [installed('@playwright/test/cli.js'), 'install', 'chromium'];
  spawnSync(process.execPath, command, { stdio: 'ignore', timeout: LIMIT_MS });
  return findBrowser();
}
