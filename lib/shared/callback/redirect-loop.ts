/**
 * Redirect loop detection (docs/product.md#callbacks). If automatic redirects to the platform repeatedly return here,
 * the learner sees an explanation. The functions are pure, and the state is the `callbackBounces` cookie. They are not
 * in `rules.ts`, because only a browser with a session loads them.
 */

/** Times in milliseconds. */
export const REDIRECT_WINDOW_MS = 30_000;
const MAX_REDIRECTS = 3;

const MAX_LENGTH = 200;

type RedirectLoopCheck = {
  /** Whether the learner was redirected too often to be redirected again. */
  looping: boolean;
  /** The cookie's next value if the learner is redirected now. */
  next: string;
};

/**
 * Decides whether another automatic redirect would be a loop.
 * @param remembered the cookie value as received; untrusted
 * @param now milliseconds since 1970
 */
export function detectRedirectLoop(remembered: string | undefined, now: number): RedirectLoopCheck {
  const recent = readTimes(remembered, now);
  return { looping: recent.length >= MAX_REDIRECTS, next: [...recent, now].slice(-MAX_REDIRECTS).join('.') };
}

function readTimes(remembered: string | undefined, now: number): number[] {
  if (remembered === undefined || remembered.length > MAX_LENGTH || !/^[\d.]*$/.test(remembered)) return [];
  const times = remembered.split('.').filter(Boolean).map(Number);
  // Browser and server clocks can differ slightly, so a redirect can appear to lie in the future.
  return times.filter((time) => Math.abs(now - time) < REDIRECT_WINDOW_MS).slice(-MAX_REDIRECTS);
}
