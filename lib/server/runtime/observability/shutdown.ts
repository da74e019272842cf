import { processWide } from '../process';
import { log } from './log';

const shutdown = () => processWide('ending', () => ({ hasBegun: false }));

/** Whether this process handles its last requests. Load balancers must send no more. */
export function isShuttingDown(): boolean {
  return shutdown().hasBegun;
}

/** Makes the process report not ready. */
export function beginShutdown(): void {
  shutdown().hasBegun = true;
  // Next.js drains open requests and then exits with the signal. A supervisor must not see a graceful shutdown as a
  // failure.
  process.once('exit', () => {
    process.exitCode = 0;
  });
}

/** A closing terminal or session sends SIGHUP. Without a listener, the process and its requests would end at once. */
const SIGNALS = ['SIGTERM', 'SIGHUP'] as const;

/**
 * On SIGTERM or SIGHUP, reports not ready first, and starts the framework's drain after a delay. The framework refuses
 * connections at once, before a load balancer can detect that this process is not ready. A second signal ends the
 * delay.
 * @param delaySeconds how long requests are still accepted
 * @param work `closeListener`: drains the listener that is not the framework's; `finish`: ends the work behind sent
 *   responses; both take a bounded time
 */
export function shutDownOnSignal(
  delaySeconds: number,
  { closeListener, finish }: Record<'closeListener' | 'finish', () => Promise<void>>,
): void {
  const drainers = process.listeners('SIGTERM');
  process.removeAllListeners('SIGTERM');
  let delay: NodeJS.Timeout | undefined;
  let isDraining = false;
  const drain = () => {
    clearTimeout(delay);
    log().info('draining: no new connections');
    // SIGHUP keeps its listener, because its default action would interrupt the drain.
    process.off('SIGTERM', onSignal);
    isDraining = true;
    const closed = closeListener();
    exitAfter(() => closed.then(finish));
    for (const drainer of drainers) process.on('SIGTERM', drainer);
    process.kill(process.pid, 'SIGTERM');
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (isDraining) return;
    if (delay) return drain();
    beginShutdown();
    log().info({ signal, delaySeconds }, 'shutting down: not ready');
    if (delaySeconds === 0) return drain();
    delay = setTimeout(drain, delaySeconds * 1000);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  process.once('exit', () => log().info({ upSeconds: Math.round(process.uptime()) }, 'stopped'));
}

/**
 * Delays the framework's exit. The framework exits as soon as its connections are closed, but other connections and the
 * work behind sent responses must end first.
 */
function exitAfter(finishWork: () => Promise<void>): void {
  const exit = process.exit.bind(process);
  const exitLater = (code?: number) => void finishWork().finally(() => exit(code));
  process.exit = exitLater as typeof process.exit;
}
