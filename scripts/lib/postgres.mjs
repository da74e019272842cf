import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePorts } from './ports.mjs';
import { startService, waitUntilLogged } from './processes.mjs';
import { loadSource } from './source-loader.mjs';
import { findOnPath } from './system-packages.mjs';

/** Debian's folder for the programs of each version. */
const DEBIAN = '/usr/lib/postgresql';

/** @returns {string | undefined} the program folder of the newest installed PostgreSQL server */
export function findPostgres() {
  const onPath = findOnPath('initdb');
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => path.join(DEBIAN, version, 'bin')),
    ...(onPath ? [path.dirname(onPath)] : []),
  ];
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(path.join(folder, name))));
}

/**
 * Starts a PostgreSQL server with a new cluster.
 * @param {{ port: number, dir: string, auth?: string }} options `dir`: a new folder for the cluster and its log.
 * `auth`: authentication method of TCP connections, `trust` by default
 * @returns {Promise<{ url: string, service: import('./processes.mjs').Service, stop: () => Promise<void> }>}
 */
export async function startPostgres({ port, dir, auth = 'trust' }) {
  const folder = findPostgres();
  if (folder === undefined) throw new Error('There is no PostgreSQL server here.');
  const data = path.join(dir, 'data');
  mkdirSync(data, { recursive: true });
  // The server refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? ['runuser', '-u', 'postgres', '--'] : [];
  if (isRoot) spawnSync('chown', ['-R', 'postgres', dir]);
  chmodSync(dir, 0o755);
  const [program = '', ...args] = [
    ...user,
    path.join(folder, 'initdb'),
    '-D',
    data,
    '-U',
    'app',
    `--auth-host=${auth}`,
    '--auth-local=trust',
    '--no-sync',
  ];
  const made = spawnSync(program, args, { encoding: 'utf8', cwd: dir });
  if (made.status !== 0) throw new Error(`initdb failed.\n${made.stderr}`);
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=off',
    'max_connections=300',
  ].flatMap((text) => ['-c', text]);
  const command = [...user, path.join(folder, 'postgres'), '-D', data, '-p', String(port), ...settings];
  const service = startService('postgres', command, { cwd: dir, logDir: dir });
  await waitUntilLogged(service, 'ready to accept connections');
  return { url: `postgres://app@127.0.0.1:${port}/postgres`, service, stop: service.stop };
}

/**
 * Starts a server with its own folder on a free port, and leaves nothing behind. The folder is outside the test's
 * folder, because the server runs as another OS user.
 */
export async function startOwnPostgres() {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'postgres-'));
  const server = await startPostgres({ port: (await freePorts(1))[0] ?? 0, dir });
  return {
    url: server.url,
    dir,
    /** Pauses all of the server's processes. Connections stay open, but the server does not respond. */
    freeze: () => signalServer(dir, 'SIGSTOP'),
    resume: () => signalServer(dir, 'SIGCONT'),
    stop: async () => {
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Name of the template database that new databases are copied from. */
const MIGRATED = 'migrated';

/**
 * @param {string} serverUrl a database of the server
 * @returns {Promise<string>} the URL of a new database on that server, with the tables of this source
 */
export async function createDatabase(serverUrl) {
  await createMigrated(serverUrl);
  return createEmptyDatabase(serverUrl, ` template ${MIGRATED}`);
}

/**
 * @param {string} serverUrl a database of the server
 * @returns {Promise<string>} the URL of a new database on that server, without tables
 */
export async function createEmptyDatabase(serverUrl, options = '') {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await queryDatabase(serverUrl, `create database ${name}${options}`);
  return serverUrl.replace(/[^/]+$/, name);
}

/**
 * Migrates one database of a server, as an operator does before a process starts. Test processes may do it in parallel.
 * The first database to be renamed is kept.
 * @param {string} serverUrl
 */
async function createMigrated(serverUrl) {
  const found = await queryDatabase(serverUrl, `select 1 from pg_database where datname = '${MIGRATED}'`);
  if (found.length > 0) return;
  const url = await createEmptyDatabase(serverUrl);
  const { migrateRecords } = loadSource('/lib/server/storage/records/engines.ts');
  await migrateRecords({ kind: 'postgres', url });
  const rename = `alter database ${url.replace(/.*\//, '')} rename to ${MIGRATED}`;
  await queryDatabase(serverUrl, rename).catch((error) => {
    if (error.code !== DUPLICATE) throw error;
  });
}

/** SQLSTATE `duplicate_database`. */
const DUPLICATE = '42P04';

/**
 * Sends a signal to a server and its processes, because each of them leads its own process group.
 * @param {string} dir @param {'SIGSTOP' | 'SIGCONT'} signal
 */
function signalServer(dir, signal) {
  const [postmaster = ''] = readFileSync(path.join(dir, 'data/postmaster.pid'), 'utf8').split('\n');
  // The postmaster gets the signal first, because a frozen server accepts no new connection.
  process.kill(Number(postmaster), signal);
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  for (const line of stdout.trim().split('\n')) {
    const [pid, parent] = line.trim().split(/\s+/);
    // A connection's process can end after it was listed.
    if (parent === postmaster)
      try {
        process.kill(Number(pid), signal);
      } catch (error) {
        if (/** @type {{ code?: string }} */ (error).code !== 'ESRCH') throw error;
      }
  }
}

/** @param {string} url @param {string} statement @returns {Promise<Record<string, unknown>[]>} rows */
export async function queryDatabase(url, statement) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
