import { processWide } from '@/lib/server/runtime';

// The identity provider compares the time of a revocation with those of its own tokens. Whatever is compared with either is told by its clock.

/** Clocks that differ by less count as the same, in milliseconds: what the provider tells of its own has whole seconds. */
const TOLERATED_MS = 1_000;

/** How far the provider's clock is ahead of ours, in milliseconds: at least, and at most. */
const skew = () => processWide('provider-clock', () => ({ least: 0, most: 0 }));

/**
 * Reads the provider's clock from an answer.
 * @param date its header `Date` (RFC 9110, section 6.6.1), of some moment since the request
 * @param sentAt when it was requested, by our clock
 */
export function readProviderClock(date: string | null, sentAt: number): void {
  const told = Date.parse(date ?? '');
  if (Number.isNaN(told)) return;
  const [least, most] = [told - Date.now(), told + 1000 - sentAt];
  const isSame = least <= TOLERATED_MS && most >= -TOLERATED_MS;
  Object.assign(skew(), isSame ? { least: 0, most: 0 } : { least, most });
}

/** The first full second that the provider's clock has not reached, and `ahead` more; since 1970. */
export function getNextProviderSecond(ahead = 0): number {
  return Math.floor((Date.now() + skew().most) / 1000) + 1 + ahead;
}

/** A time of ours by the provider's clock, which is no earlier; in milliseconds since 1970. */
export function toProviderTime(own = Date.now()): number {
  return own + skew().least;
}

/** When our clock shows, at the latest, what is a time by the provider's; in milliseconds since 1970. */
export function toOwnTime(provider: number): number {
  return provider - skew().least;
}
