import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { hasCaddy } from './caddy.mjs';
import { hasNginx } from './nginx.mjs';
import { installed } from './paths.mjs';
import { findPostgres } from './postgres.mjs';
import { findOnPath, installPackage } from './system-packages.mjs';

/** The headless shell has Chromium's engine and needs a third less CPU time, but it has no settings. */
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

/** @param {'it' | 'them'} what @param {string} [brew] the Homebrew package */
const bySystem = (what, brew) =>
  `Install ${what} with the package manager of this system${brew ? ` (macOS: brew install ${brew})` : ''}.`;
/** @param {string} modules modules of the system's Python */
const hasPython = (modules) =>
  spawnSync('/usr/bin/python3', ['-c', `import ${modules}`], { timeout: 30_000 }).status === 0;

export const APACHE = '/usr/sbin/apache2';
/** Debian's folder for Apache's modules. */
export const APACHE_MODULES = '/usr/lib/apache2/modules';
/** Returns whether Debian's Apache is installed with mod_auth_openidc. */
export const hasApache = () =>
  [APACHE, path.join(APACHE_MODULES, 'mod_auth_openidc.so')].every((file) => existsSync(file));
/** Returns whether the system's Python has Authlib and the modules that its example site needs. */
export const hasAuthlib = () => hasPython('authlib, django, requests');

/** Tools that tests need besides a browser, and the messages for a machine without them. */
const TOOLS = {
  redis: {
    names: ['redis-server'],
    why: 'The tests of several processes need Redis, and no redis-server is on the PATH.',
    elsewhere: bySystem('it', 'redis'),
    isThere: () => findOnPath('redis-server') !== undefined,
    without: 'Without Redis, the tests that need it are skipped.',
  },
  nginx: {
    names: ['nginx-light', 'nginx'],
    why: 'The tests of shared caches and of the OpenID Provider need nginx, and none is on the PATH.',
    elsewhere: bySystem('it', 'nginx'),
    isThere: hasNginx,
    without: 'Without nginx, the tests of shared caches are skipped.',
  },
  caddy: {
    names: ['caddy'],
    why: 'The tests of the deployment files need Caddy, and none is on the PATH.',
    elsewhere: bySystem('it', 'caddy'),
    isThere: hasCaddy,
    without: 'Without Caddy, the tests of deploy/Caddyfile are skipped.',
  },
  examples: {
    names: ['python3-django php-cli php-apcu'],
    why: 'The tests of examples/django and examples/php need Django and PHP.',
    elsewhere: bySystem('them'),
    isThere: () => hasPython('django') && findOnPath('php') !== undefined,
    without: 'The tests of the examples whose language is missing are skipped.',
  },
  'social-core': {
    names: ['python3-social-auth-core python3-jose'],
    why: 'The tests of the OpenID Provider need the library under Open edX.',
    elsewhere: bySystem('them'),
    isThere: () => hasPython('social_core, jose'),
    without: 'Without python3-social-auth-core, its test of the OpenID Provider is skipped.',
  },
  apache: {
    names: ['apache2-bin libapache2-mod-auth-openidc'],
    why: 'The tests of relying parties need Apache with mod_auth_openidc.',
    elsewhere: bySystem('them'),
    isThere: hasApache,
    without: 'Without Apache and mod_auth_openidc, their test as a relying party is skipped.',
  },
  authlib: {
    names: ['python3-authlib python3-django python3-requests'],
    why: 'The tests of relying parties need Authlib and Django.',
    elsewhere: bySystem('them'),
    isThere: hasAuthlib,
    without: 'Without Authlib, its test as a relying party is skipped.',
  },
  prometheus: {
    names: ['prometheus'],
    why: 'The tests of the alerting rules need promtool, and none is on the PATH.',
    elsewhere: bySystem('it', 'prometheus'),
    isThere: () => findOnPath('promtool') !== undefined,
    without: 'Without promtool, the tests of the alerting rules are skipped.',
  },
  postgres: {
    names: ['postgresql'],
    why: 'The tests of records need a PostgreSQL server, and none was found.',
    elsewhere: bySystem('it', 'postgresql'),
    isThere: () => findPostgres() !== undefined,
    without: 'Without PostgreSQL, the tests of records run on the embedded database only.',
  },
};

/** Ensures that these tools are installed, or prints which tests are skipped. @param {ReadonlySet<string>} needs */
export function prepareTools(needs) {
  for (const [name, { isThere, without, ...wanted }] of Object.entries(TOOLS))
    if (needs.has(name) && !isThere() && !installPackage(wanted)) console.log(without);
}

/**
 * Finds or installs a browser for the end-to-end tests. It prefers the headless shell unless CHROMIUM_PATH names
 * another browser.
 * @returns {Record<string, string>} CHROMIUM_PATH, or empty without a browser, so that the tests fail and report it
 */
export function prepareBrowser() {
  if (findBrowser() && !process.env.CHROMIUM_PATH && !findShell()) installPackage(SHELL);
  const found = findBrowser() ?? downloadBrowser() ?? (installPackage(BROWSER) ? findBrowser() : undefined);
  return found ? { CHROMIUM_PATH: found } : {};
}

/** @returns {string | undefined} a browser that can be started, preferably the headless shell */
export function findBrowser() {
  return findProgram([process.env.CHROMIUM_PATH, findShell(), ...getFullBrowsers()]);
}

/** @returns {string | undefined} the system's or Playwright's headless shell, if it can be started */
function findShell() {
  return findProgram([findOnPath(HEADLESS_SHELL), getPlaywrightShell()]);
}

/** @returns {string | undefined} the shell that Playwright downloaded with its full browser, in the same revision */
function getPlaywrightShell() {
  const [, cache = '', revision] = /^(.*)chromium-(\d+)/.exec(getPlaywrightBrowser()) ?? [];
  const folder = `${cache}chromium_headless_shell-${revision}`;
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  const found = files.find((file) => /^(chrome-headless-shell|headless_shell)(\.exe)?$/.test(path.basename(file)));
  return found && path.join(folder, found);
}

/** @returns {string} where Playwright's full browser is or would be */
function getPlaywrightBrowser() {
  return createRequire(import.meta.url)('@playwright/test').chromium.executablePath();
}

/** @returns {string | undefined} a browser that reads its profile's settings */
export function findFullBrowser() {
  return findProgram([...getFullBrowsers(), process.env.CHROMIUM_PATH]);
}

/** @returns {boolean} whether there is no full browser. The headless shell has no settings and ignores some flags */
export function hasShellAlone() {
  const file = findFullBrowser();
  return file === undefined || /headless.shell/.test(file);
}

/** @returns {(string | undefined)[]} */
function getFullBrowsers() {
  return [getPlaywrightBrowser(), ...NAMES.map(findOnPath), MAC_CHROME];
}

/** @param {(string | undefined)[]} candidates @returns {string | undefined} the first candidate that can be started */
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
