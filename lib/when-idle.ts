/** Runs work once the page is usable and the browser has nothing better to do; within a second where it cannot tell. */
export function whenIdle(work: () => void): void {
  if (typeof window.requestIdleCallback === 'function') window.requestIdleCallback(work);
  else setTimeout(work, 1_000);
}
