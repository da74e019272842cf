/** How long a page is left to its visitor before anything is loaded that they did not ask for, in milliseconds. */
const SETTLED_AFTER = 2_000;

/** Runs work once the page is usable and the browser has nothing better to do; within a second where it cannot tell. */
export function whenIdle(work: () => void): void {
  if (typeof window.requestIdleCallback === 'function') window.requestIdleCallback(work);
  else setTimeout(work, 1_000);
}

/**
 * Runs work that nobody waits for: once the page has loaded and has been there for a while, so that it takes nothing
 * from people who sign in at once, with a password manager.
 */
export function whenSettled(work: () => void): void {
  const settle = () => setTimeout(() => whenIdle(work), SETTLED_AFTER);
  if (document.readyState === 'complete') settle();
  else window.addEventListener('load', settle, { once: true });
}
