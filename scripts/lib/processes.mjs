import { appendFileSync, closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { execa } from 'execa';

const GRACE_MS = 8_000;
const IMPATIENCE_MS = 1_000;
const START_LIMIT_MS = 90_000;
const isWindows = process.platform === 'win32';
const endWithParent = ['--import', new URL('end-with-parent.mjs', import.meta.url).href];

/**
 * @typedef {{ name: string, pid: number, logFile: string, exited: Promise<number>, isRunning: () => boolean,
 *   stop: () => Promise<void> }} Service
 * @typedef {{ env?: Record<string, string | undefined>, cwd?: string, logDir: string }} StartOptions
 */

/** @type {Set<Service>} */
const running = new Set();
let stopsInOrder = false;
process.on('exit', () => running.forEach((service) => signalGroup(service.pid, 'SIGKILL')));
// A signal without a handler would end this process without running the exit handler above.
for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP']))
  process.on(signal, () => stopsInOrder || process.exit(143));

/**
 * Starts a program in the background, with its output in `{logDir}/{name}.log`. It ends with this process.
 * @param {string} name
 * @param {string[]} command program and arguments
 * @param {StartOptions} options
 * @returns {Service}
 */
export function startService(name, [program = '', ...args], { env = process.env, cwd, logDir }) {
  mkdirSync(logDir, { recursive: true });
  const logFile = path.join(logDir, `${name}.log`);
  const log = openSync(logFile, 'a');
  /** @type {import('execa').Options} */
  const options = {
    cwd,
    env: /** @type {Record<string, string>} */ (env),
    extendEnv: false,
    // In a separate process group, the terminal's Ctrl-C reaches only this process, which stops all services in order.
    detached: !isWindows,
    stdio: ['ignore', /** @type {never} */ (log), /** @type {never} */ (log)],
    reject: false,
  };
  const child = execa(program, program === process.execPath ? [...endWithParent, ...args] : args, options);
  closeSync(log);
  let isRunning = true;
  const exited = child.then(({ exitCode, shortMessage = '' }) => {
    isRunning = false;
    running.delete(service);
    if (child.pid === undefined) appendFileSync(logFile, shortMessage);
    return exitCode ?? 1;
  });
  /** @type {Service} */
  const service = {
    ...{ name, pid: child.pid ?? 0, logFile, exited, isRunning: () => isRunning },
    async stop() {
      if (isRunning) signalGroup(service.pid, 'SIGTERM');
      const impatience = setTimeout(() => signalGroup(service.pid, 'SIGKILL'), GRACE_MS);
      await exited;
      clearTimeout(impatience);
      // Child processes that the service left running.
      signalGroup(service.pid, 'SIGKILL');
    },
  };
  running.add(service);
  return service;
}

/** Stops all running services in parallel. @returns {Promise<void>} */
export async function stopAllServices() {
  await Promise.all([...running].map((service) => service.stop()));
}

/**
 * Stops the services when this process receives a termination signal.
 * @param {() => void} [onSignal] called once, before anything is stopped
 * @param {number} [interrupted] exit code after Ctrl-C
 */
export function stopServicesOnExit(onSignal = () => {}, interrupted = 130) {
  stopsInOrder = true;
  let askedAt = 0;
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => {
      // npm forwards Ctrl-C to this process, which already received it; only a later signal is a second Ctrl-C.
      if (askedAt > 0) return void (Date.now() - askedAt > IMPATIENCE_MS && process.exit(130));
      askedAt = Date.now();
      onSignal();
      void stopAllServices().then(() => process.exit(signal === 'SIGINT' ? interrupted : 143));
    });
}

/**
 * Waits until a URL responds, with any status.
 * @param {Service} service stop waiting when it exits
 * @param {string} url
 * @throws Error with the end of the service's log when it exits or times out
 */
export function waitUntilReady(service, url) {
  const ask = () => fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(5_000) });
  return waitUntil(service, () =>
    ask().then(
      () => true,
      () => false,
    ),
  );
}

/**
 * Waits until a service has logged a text.
 * @param {Service} service stop waiting when it exits
 * @param {string} words
 * @throws Error with the end of the service's log when it exits or times out
 */
export function waitUntilLogged(service, words) {
  return waitUntil(service, async () => readFileSync(service.logFile, 'utf8').includes(words));
}

/**
 * @param {Service} service stop waiting when it exits
 * @param {() => Promise<boolean>} isReady
 * @throws Error with the end of the service's log when it exits or times out
 */
export async function waitUntil(service, isReady) {
  const deadline = Date.now() + START_LIMIT_MS;
  while (!(await isReady()) || !service.isRunning()) {
    if (!service.isRunning()) throw new Error(`${service.name} ended while starting.\n${readTail(service.logFile)}`);
    if (Date.now() > deadline) throw new Error(`${service.name} did not get ready.\n${readTail(service.logFile)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** @param {string} file @param {number} [lines] @returns {string} the last lines of a log */
export function readTail(file, lines = 15) {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
}

/**
 * Signals a process and all its child processes.
 * @param {number} pid leader of the process group
 * @param {NodeJS.Signals} signal
 */
export function signalGroup(pid, signal) {
  try {
    if (pid > 0) process.kill(isWindows ? pid : -pid, signal);
  } catch {
    // Already exited.
  }
}
