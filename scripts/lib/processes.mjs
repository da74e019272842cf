import { appendFileSync, closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';

const GRACE_MS = 8_000;
const IMPATIENCE_MS = 1_000;
const START_LIMIT_MS = 240_000;
const isWindows = process.platform === 'win32';
const endWithParent = ['--import', new URL('end-with-parent.mjs', import.meta.url).href];

/**
 * @typedef {{ name: string, pid: number, logFile: string, exited: Promise<number>, isRunning: () => boolean,
 *   stop: () => Promise<void> }} Service
 */

/** @type {Set<Service>} */
const running = new Set();
let stopsInOrder = false;
process.on('exit', () => running.forEach(({ pid }) => signalGroup(pid, 'SIGKILL')));
// A signal without a handler would end this process without running the exit handler above.
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => stopsInOrder || process.exit(143));

/**
 * Starts a program in the background, with its output in `{logDir}/{name}.log`. The program ends with this process.
 * @param {string} name
 * @param {string[]} command program and arguments
 * @param {{ env?: Record<string, string | undefined>, cwd?: string, logDir: string, onMessage?: (message: unknown) =>
 * void }} options `env`: variables in addition to this process's. `onMessage`: receives messages that the program
 * passes to `process.send`
 * @returns {Service}
 */
export function startService(name, [program = '', ...args], { logDir, onMessage, ...options }) {
  mkdirSync(logDir, { recursive: true });
  const logFile = path.join(logDir, `${name}.log`);
  const log = openSync(logFile, 'a');
  const child = execa(program, program === process.execPath ? [...endWithParent, ...args] : args, {
    ...options,
    // In a separate process group, the terminal's Ctrl-C reaches only this process, which then stops all services in
    // order.
    detached: !isWindows,
    stdin: 'ignore',
    stdout: /** @type {never} */ (log),
    stderr: /** @type {never} */ (log),
    ipc: onMessage !== undefined,
    reject: false,
  });
  closeSync(log);
  if (onMessage) child.on('message', onMessage);
  let isRunning = true;
  const exited = child.then(({ exitCode, shortMessage = '' }) => {
    isRunning = false;
    running.delete(service);
    if (child.pid === undefined) appendFileSync(logFile, shortMessage);
    return exitCode ?? 1;
  });
  const pid = child.pid ?? 0;
  const stop = async () => {
    if (isRunning) signalGroup(pid, 'SIGTERM');
    const impatience = setTimeout(() => signalGroup(pid, 'SIGKILL'), GRACE_MS);
    await exited;
    clearTimeout(impatience);
    // Kill child processes that the service left running.
    signalGroup(pid, 'SIGKILL');
  };
  /** @type {Service} */
  const service = { name, pid, logFile, exited, isRunning: () => isRunning, stop };
  running.add(service);
  return service;
}

/** Stops all running services in parallel. */
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
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      // npm forwards Ctrl-C to this process, which already received it. Only a later signal is a second Ctrl-C.
      if (askedAt > 0) return void (Date.now() - askedAt > IMPATIENCE_MS && process.exit(130));
      askedAt = Date.now();
      onSignal();
      void stopAllServices().then(() => process.exit(signal === 'SIGINT' ? interrupted : 143));
    });
}

/** Waits until a URL responds, with any status. @param {Service} service @param {string} url */
export function waitUntilReady(service, url) {
  const ask = () => fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(5_000) });
  return waitUntil(service, () => ask().then(Boolean, () => false));
}

/** Waits until a service accepts connections. @param {Service} service @param {number} port */
export function waitUntilListening(service, port) {
  return waitUntil(
    service,
    () =>
      new Promise((resolve) => {
        const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
        socket.once('connect', () => socket.destroy());
      }),
  );
}

/** Waits until a service has logged a text. @param {Service} service @param {string} words */
export function waitUntilLogged(service, words) {
  return waitUntil(service, async () => readFileSync(service.logFile, 'utf8').includes(words));
}

/**
 * @param {Service} service
 * @param {() => Promise<boolean>} isReady
 * @throws Error with the end of the service's log when it exits or times out
 */
async function waitUntil(service, isReady) {
  const deadline = Date.now() + START_LIMIT_MS;
  while (!(await isReady()) || !service.isRunning()) {
    if (!service.isRunning()) throw new Error(`${service.name} ended while starting.\n${readTail(service.logFile)}`);
    if (Date.now() > deadline) throw new Error(`${service.name} did not get ready.\n${readTail(service.logFile)}`);
    await sleep(100);
  }
}

/** @param {string} file @returns {string} the last lines of a log */
export function readTail(file, lines = 15) {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
}

/** Signals a process and all its child processes. @param {number} pid @param {NodeJS.Signals} signal */
export function signalGroup(pid, signal) {
  try {
    if (pid > 0) process.kill(isWindows ? pid : -pid, signal);
  } catch {
    // Already exited.
  }
}
