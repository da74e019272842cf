import { isSharedComputer } from './sign-in/this-device';
import { storage } from '../storage';

/**
 * Keys of a tab's storage: the page of this app that it returns to (`../callback.ts`), and the change that continues
 * there (`../account/account-methods.ts`).
 */
const KEYS = ['return-to', 'pending-method-change', 'pending-data-change'] as const;
const tab = storage('sessionStorage');

const KEY = 'return-by-link';
const browser = storage('localStorage');
/** After this time, an opened link probably serves another purpose. */
const TTL_MS = 3_600_000;

type Kept = { email: string; at: number; items: Partial<Record<string, string | null>> };

/**
 * Stores in the browser where this tab was to return, because an emailed link opens a new tab. It stores nothing on a
 * shared computer.
 */
export function keepReturnForLink(email: string): void {
  const items = Object.fromEntries(KEYS.map((key) => [key, tab.getItem(key)]));
  if (items['return-to'] === null || isSharedComputer()) return browser.removeItem(KEY);
  const kept: Kept = { email: email.toLowerCase(), at: Date.now(), items };
  browser.setItem(KEY, JSON.stringify(kept));
  tab.setItem(KEY, String(kept.at));
}

/**
 * Restores the stored return once, in the tab of the link that was sent to this email. The restored values are
 * validated when they are used.
 */
export function takeReturnByLink(email: string): void {
  const { email: asked, at = 0, items } = Object(browser.getJson(KEY)) as Partial<Kept>;
  if (asked !== email.toLowerCase()) return;
  browser.removeItem(KEY);
  tab.removeItem(KEY);
  if (Date.now() - at > TTL_MS) return;
  for (const key of KEYS) {
    const item = items?.[key];
    if (typeof item === 'string') tab.setItem(key, item);
  }
}

/**
 * Whether the link that this tab requested was opened in another tab, which continues an earlier change. @param begunAt
 * when the change began, in milliseconds since 1970
 */
export function isLeftToLink(begunAt: number): boolean {
  const askedAt = Number(tab.getItem(KEY));
  return askedAt >= begunAt && askedAt !== (Object(browser.getJson(KEY)) as Partial<Kept>).at;
}
