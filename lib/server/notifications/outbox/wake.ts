import { processWide } from '@/lib/server/runtime';

const place = () => processWide('outbox-wake', () => ({ wake: () => {} }));

/** Sends what was just written without waiting for the next round; another process does if this one cannot. */
export function wakeOutbox(): void {
  place().wake();
}

/** @param wake looks for work at once */
export function onWake(wake: () => void): void {
  place().wake = wake;
}
