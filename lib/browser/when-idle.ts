/** Delay after page load before anything is loaded that the visitor did not request, in milliseconds. */
const SETTLED_AFTER = 2_000;

/** Runs work once the page is usable and the browser is idle; after one second if the browser cannot report that. */
export function whenIdle(work: () => void): void {
  if (typeof window.requestIdleCallback === 'function') window.requestIdleCallback(work);
  else setTimeout(work, 1_000);
}

/**
 * Runs low-priority work some time after the page has loaded, so that it does not slow down users who sign in
 * immediately with a password manager.
 */
export function whenSettled(work: () => void): void {
  const settle = () => setTimeout(() => whenIdle(work), SETTLED_AFTER);
  if (document.readyState === 'complete') settle();
  else window.addEventListener('load', settle, { once: true });
}
