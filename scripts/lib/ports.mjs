import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

const LISTENING = '0A';
// Some systems let a wildcard listener and a specific one share a port, so check each form.
const HOSTS = ['127.0.0.1', '::1', '::'];

// Below the range that operating systems assign automatically, to clients and to servers that listen on port 0.
const FIRST = 20_000;
const AFTER_LAST = 32_000;
/** Milliseconds within which the process that reserved a port must listen on it. */
const TAKEN_WITHIN = 120_000;
/** One file per reserved port, shared by all processes of this OS user. */
const givenOut = path.join(os.tmpdir(), `learner-identity-ports-${process.getuid?.() ?? 0}`);

/**
 * Whether a TCP port of this machine is free.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export async function isPortFree(port) {
  for (const host of HOSTS) if (!(await canListen(port, host))) return false;
  return true;
}

/**
 * Reserves distinct free ports for two minutes: test runs start several servers side by side, and some are slow to
 * listen.
 * @param {number} count
 * @returns {Promise<number[]>}
 */
export async function freePorts(count) {
  forgetOld();
  /** @type {number[]} */
  const ports = [];
  while (ports.length < count) {
    const port = randomInt(FIRST, AFTER_LAST);
    if (giveOut(port) && (await isPortFree(port))) ports.push(port);
  }
  return ports;
}

function forgetOld() {
  mkdirSync(givenOut, { recursive: true });
  for (const file of readdirSync(givenOut).map((name) => path.join(givenOut, name)))
    if (Date.now() - attempt(() => statSync(file).mtimeMs, Infinity) > TAKEN_WITHIN) rmSync(file, { force: true });
}

/** Whether a port was not reserved before. @param {number} port @returns {boolean} */
function giveOut(port) {
  try {
    writeFileSync(path.join(givenOut, String(port)), '', { flag: 'wx' });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Describes the process that listens on a port: `process 123 (node server.js)`; less when the system does not report
 * it.
 * @param {number} port
 * @returns {string}
 */
export function holderOf(port) {
  const pid = holderFromProc(port) ?? holderFromLsof(port);
  if (pid === undefined) return 'another process (this account may not see which)';
  return `process ${pid}${commandOf(pid)}`;
}

/** @param {number} port @param {string} host @returns {Promise<boolean>} */
function canListen(port, host) {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', (/** @type {NodeJS.ErrnoException} */ error) =>
      resolve(error.code !== 'EADDRINUSE' && error.code !== 'EACCES'),
    );
    server.listen({ port, host, ipv6Only: host === '::1' }, () => server.close(() => resolve(true)));
  });
}

/** @param {number} port @returns {number | undefined} */
function holderFromProc(port) {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listeningInodes(table, port)));
  if (sockets.size === 0) return undefined;
  const pids = attempt(() => readdirSync('/proc'), []).filter((name) => /^\d+$/.test(name));
  return pids.map(Number).find((pid) => {
    const links = attempt(() => readdirSync(`/proc/${pid}/fd`), []);
    return links.some((fd) => sockets.has(attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`), '')));
  });
}

/** @param {string} table @param {number} port @returns {string[]} */
function listeningInodes(table, port) {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = attempt(() => readFileSync(`/proc/net/${table}`, 'utf8'), '')
    .split('\n')
    .slice(1);
  const columns = rows.map((row) => row.trim().split(/\s+/));
  return columns.filter((c) => c[1]?.endsWith(suffix) && c[3] === LISTENING).map((c) => `socket:[${c[9]}]`);
}

/** @param {number} port @returns {number | undefined} */
function holderFromLsof(port) {
  const args = ['-nP', '-t', `-iTCP:${port}`, '-sTCP:LISTEN'];
  const out = attempt(() => execFileSync('lsof', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }), '');
  return Number(out.split('\n')[0]) || undefined;
}

/**
 * A process's command line in parentheses, or an empty string when the system does not report it.
 * @param {number} pid
 * @returns {string}
 */
export function commandOf(pid) {
  const line =
    attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '), '') ||
    attempt(() => execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }), '');
  return line.trim() ? ` (${line.trim().slice(0, 100)})` : '';
}

/** @template T @param {() => T} read @param {T} otherwise @returns {T} */
function attempt(read, otherwise) {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
