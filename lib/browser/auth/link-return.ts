import { isSharedComputer } from './sign-in/this-device';
import { storage } from '../storage';

/** Of a tab: the page of this app that it returns to (`../callback.ts`), and the change that goes on there (`../account/account-methods.ts`). */
const KEYS = ['return-to', 'pending-method-change', 'pending-data-change'] as const;
const tab = storage('sessionStorage');

const KEY = 'return-by-link';
const browser = storage('localStorage');
/** A link that is opened later is for something else by then. */
const TTL_MS = 3_600_000;

type Kept = { email: string; at: number; items: Partial<Record<string, string | null>> };

/** An emailed link opens a tab of its own: where this one was to return to is stored in the browser, unless that is shared. */
export function keepReturnForLink(email: string): void {
  const items = Object.fromEntries(KEYS.map((key) => [key, tab.getItem(key)]));
  if (items['return-to'] === null || isSharedComputer()) return browser.removeItem(KEY);
  const kept: Kept = { email: email.toLowerCase(), at: Date.now(), items };
  browser.setItem(KEY, JSON.stringify(kept));
  tab.setItem(KEY, String(kept.at));
}

/** Once, in the tab of the link that was sent to this email. What it gets is validated when it is used. */
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

/** Whether the link that this tab has asked for was opened in another, which goes on with a change begun before. @param begunAt when */
export function isLeftToLink(begunAt: number): boolean {
  const askedAt = Number(tab.getItem(KEY));
  return askedAt >= begunAt && askedAt !== (Object(browser.getJson(KEY)) as Partial<Kept>).at;
}
