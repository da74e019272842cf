import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import net from 'node:net';

const LISTENING = '0A';
// Some systems let a wildcard listener and a specific one share a port, so each form is tried.
const HOSTS = ['127.0.0.1', '::1', '::'];

/**
 * Whether nobody listens on a TCP port of this machine.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export async function isPortFree(port) {
  for (const host of HOSTS) if (!(await canListen(port, host))) return false;
  return true;
}

/**
 * Ports that are free now, all different.
 * @param {number} count
 * @returns {Promise<number[]>}
 */
export async function freePorts(count) {
  const servers = await Promise.all(Array.from({ length: count }, () => listenAnywhere()));
  const ports = servers.map((server) => /** @type {net.AddressInfo} */ (server.address()).port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

/**
 * Who listens on a port, in words: `process 123 (node server.js)`; less when the system does not say.
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

/** @returns {Promise<net.Server>} */
function listenAnywhere() {
  return new Promise((resolve, reject) => {
    const server = net.createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
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
 * A process's command line in brackets, or nothing when the system does not say.
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
