/**
 * Loop guard (product decisions, 5): an automatic hand-over to the platform that comes straight back, again and again,
 * ends on a page that says so. Pure and isomorphic; what it remembers is the `callbackBounces` cookie.
 */

/** Times in milliseconds. */
export const BOUNCE_WINDOW = 30_000;
const MAX_BOUNCES = 3;

const MAX_LENGTH = 200;

export type Bounce = {
  /** Whether the learner was handed over too often to be handed over again. */
  looping: boolean;
  /** The cookie's next value, when the learner is handed over now. */
  next: string;
};

/**
 * Decides whether one more automatic hand-over is a loop.
 * @param remembered the cookie as it arrived, however hostile
 * @param now milliseconds since 1970
 */
export function judgeBounce(remembered: string | undefined, now: number): Bounce {
  const recent = readTimes(remembered, now);
  return { looping: recent.length >= MAX_BOUNCES, next: [...recent, now].slice(-MAX_BOUNCES).join('.') };
}

function readTimes(remembered: string | undefined, now: number): number[] {
  if (remembered === undefined || remembered.length > MAX_LENGTH || !/^[\d.]*$/.test(remembered)) return [];
  const times = remembered.split('.').filter(Boolean).map(Number);
  // Browser and server may disagree a little about the time, so a hand-over may seem to lie ahead.
  return times.filter((time) => Math.abs(now - time) < BOUNCE_WINDOW).slice(-MAX_BOUNCES);
}
