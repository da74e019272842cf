import { processWide } from '../process';

const startup = () =>
  processWide('startup', () => {
    let end: () => void = () => undefined;
    const done = new Promise<void>((resolve) => (end = resolve));
    return { isRunning: false, done, end };
  });

/** Whether this process is live but not ready for requests yet. */
export function isStarting(): boolean {
  return startup().isRunning;
}

/** Makes the process report live but not ready. */
export function beginStart(): void {
  startup().isRunning = true;
}

/** Makes the process ready for requests. */
export function endStart(): void {
  startup().isRunning = false;
  startup().end();
}

/** Resolves at the end of the start, or at once after it. */
export function whenStarted(): Promise<void> {
  return startup().done;
}
