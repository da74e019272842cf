import { log } from './log';
import { beginShutdown } from './readiness';

/**
 * On SIGTERM reports not ready first, and lets the framework drain after a delay: it refuses connections at once, before
 * a load balancer can have seen that this process is not ready. A second signal ends the delay.
 * @param delaySeconds how long requests are still accepted
 */
export function shutDownOnSignal(delaySeconds: number): void {
  const drainers = process.listeners('SIGTERM');
  process.removeAllListeners('SIGTERM');
  let delay: NodeJS.Timeout | undefined;
  const drain = () => {
    clearTimeout(delay);
    log().info('draining: no new connections');
    process.off('SIGTERM', onSignal);
    for (const drainer of drainers) process.on('SIGTERM', drainer);
    process.kill(process.pid, 'SIGTERM');
  };
  const onSignal = () => {
    if (delay) return drain();
    beginShutdown();
    log().info({ signal: 'SIGTERM', delaySeconds }, 'shutting down: not ready');
    if (delaySeconds === 0) return drain();
    delay = setTimeout(drain, delaySeconds * 1000);
  };
  process.on('SIGTERM', onSignal);
  process.once('exit', () => log().info({ upSeconds: Math.round(process.uptime()) }, 'stopped'));
}
