import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const GRACE_MS = 8_000;
const IMPATIENCE_MS = 1_000;
const START_LIMIT_MS = 90_000;
const isWindows = process.platform === 'win32';

/**
 * @typedef {{ name: string, pid: number, logFile: string, exited: Promise<number>, logged: Promise<void>, isRunning: () => boolean,
 *   stop: () => Promise<void> }} Service
 * @typedef {{ env?: Record<string, string | undefined>, cwd?: string, logDir: string }} StartOptions
 */

/** @type {Set<Service>} */
const running = new Set();
let endsInOrder = false;
process.on('exit', () => running.forEach((service) => signalGroup(service.pid, 'SIGKILL')));
// A signal without a handler would end this process without running the exit handler above.
for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP']))
  process.on(signal, () => {
    if (!endsInOrder) process.exit(143);
  });

/**
 * Starts a program in the background, in its own process group, with its output in `{logDir}/{name}.log`.
 * @param {string} name
 * @param {string[]} command program and arguments
 * @param {StartOptions} options
 * @returns {Service}
 */
export function startService(name, [program = '', ...args], { env = process.env, cwd, logDir }) {
  mkdirSync(logDir, { recursive: true });
  const logFile = path.join(logDir, `${name}.log`);
  const log = createWriteStream(logFile, { flags: 'a' });
  // Use a separate process group: the terminal's Ctrl-C reaches only this process, which stops all services in order.
  const child = spawn(program, args, {
    cwd,
    env: /** @type {NodeJS.ProcessEnv} */ (env),
    detached: !isWindows,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  let isRunning = true;
  const exited = new Promise((/** @type {(code: number) => void} */ resolve) => {
    child.once('error', (error) => log.write(`${error.message}\n`, () => resolve(1)));
    child.once('exit', (code) => resolve(code ?? 1));
  }).then((code) => {
    isRunning = false;
    running.delete(service);
    return code;
  });
  const logged = new Promise((/** @type {(_: void) => void} */ resolve) => {
    child.once('close', () => log.end(() => resolve()));
    child.once('error', () => resolve());
  });
  const pid = child.pid ?? 0;
  /** @type {Service} */
  const service = { name, pid, logFile, exited, logged, isRunning: () => isRunning, stop: () => stopService(service) };
  running.add(service);
  return service;
}

/** Stops all running services in parallel. @returns {Promise<void>} */
export async function stopAllServices() {
  await Promise.all([...running].map((service) => service.stop()));
}

/**
 * Stops the services when this process receives a termination signal.
 * @param {(signal: string) => void} [onSignal] called once, before anything is stopped
 * @param {number} [interrupted] exit code after Ctrl-C
 */
export function stopServicesOnExit(onSignal = () => {}, interrupted = 130) {
  endsInOrder = true;
  let askedAt = 0;
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      if (askedAt > 0) {
        // npm forwards Ctrl-C to this process, which already received it; only a later signal is a second Ctrl-C.
        if (Date.now() - askedAt > IMPATIENCE_MS) process.exit(130);
        return;
      }
      askedAt = Date.now();
      onSignal(signal);
      void stopAllServices().then(() => process.exit(signal === 'SIGINT' ? interrupted : 143));
    });
  }
}

/**
 * Waits until a URL responds, with any status.
 * @param {Service} service stop waiting when it exits
 * @param {string} url
 * @throws Error with the end of the service's log when it exits or times out
 */
export function waitUntilReady(service, url) {
  return waitUntil(service, () => answers(url));
}

/**
 * Waits until a service has logged a text.
 * @param {Service} service stop waiting when it exits
 * @param {string} words
 * @throws Error with the end of the service's log when it exits or times out
 */
export function waitUntilLogged(service, words) {
  return waitUntil(
    service,
    async () => existsSync(service.logFile) && readFileSync(service.logFile, 'utf8').includes(words),
  );
}

/**
 * @param {Service} service stop waiting when it exits
 * @param {() => Promise<boolean>} isReady
 * @throws Error with the end of the service's log when it exits or times out
 */
export async function waitUntil(service, isReady) {
  const deadline = Date.now() + START_LIMIT_MS;
  while (Date.now() < deadline) {
    if (!service.isRunning()) throw new Error(`${service.name} ended while starting.\n${tailOf(service.logFile)}`);
    if (await isReady()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${service.name} did not get ready.\n${tailOf(service.logFile)}`);
}

/** @param {string} url @returns {Promise<boolean>} */
async function answers(url) {
  try {
    await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(5_000) });
    return true;
  } catch {
    return false;
  }
}

/** @param {string} file @param {number} [lines] @returns {string} the last lines of a log */
export function tailOf(file, lines = 15) {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '';
  }
}

/** @param {Service} service @returns {Promise<void>} */
async function stopService(service) {
  if (service.isRunning()) {
    signalGroup(service.pid, 'SIGTERM');
    const impatience = setTimeout(() => signalGroup(service.pid, 'SIGKILL'), GRACE_MS);
    await service.exited;
    clearTimeout(impatience);
  }
  // Child processes that the service left running.
  signalGroup(service.pid, 'SIGKILL');
}

/**
 * Signals a process and all its child processes.
 * @param {number} pid leader of the process group
 * @param {NodeJS.Signals} signal
 */
export function signalGroup(pid, signal) {
  if (pid <= 0) return;
  try {
    process.kill(isWindows ? pid : -pid, signal);
  } catch {
    // Already exited.
  }
}
