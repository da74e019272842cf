import { DISAVOWAL_MS } from './disavowal';

/** A browser of an account. `isFirst`: as far as known, the account was used in no other browser before. */
type ChoosingBrowser = { firstSeenAt: Date; isFirst: boolean };

/**
 * Whether the language chosen in a browser becomes the account's language for emails. An intruder must not choose a
 * language for warnings that the owner cannot read.
 * @param browser of the session, or null if another browser has a copy of its cookie
 */
export function choosesForOwner(browser: ChoosingBrowser | null, now: Date): boolean {
  if (browser === null) return false;
  return browser.isFirst || now.getTime() - browser.firstSeenAt.getTime() >= DISAVOWAL_MS;
}
