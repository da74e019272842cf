import { processWide } from '../process';

const startup = () =>
  processWide('startup', () => {
    let end: () => void = () => undefined;
    const done = new Promise<void>((resolve) => (end = resolve));
    return { isRunning: false, done, end };
  });

/** Whether this process is live, and not ready for requests yet. */
export function isStarting(): boolean {
  return startup().isRunning;
}

/** From now on the process reports live, and not ready. */
export function beginStart(): void {
  startup().isRunning = true;
}

/** From now on requests may come. */
export function endStart(): void {
  startup().isRunning = false;
  startup().end();
}

/** Resolves at the end of the start, also after it. */
export function whenStarted(): Promise<void> {
  return startup().done;
}
