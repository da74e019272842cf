import type { Page } from '@playwright/test';

type Saying = (text: string) => Promise<void>;

/** What a page says while a slow machine loads parts of it. */
const WAITING = ['One moment', 'Loading'];

/**
 * The announcements of the page's live regions, in order, across all pages of the journey, but those that only a slow machine has. Text that is already in a
 * region when the page is parsed is not announced, as in a screen reader.
 */
export async function listen(page: Page): Promise<string[]> {
  const said: string[] = [];
  await page.exposeFunction('hear', (text: string) => void (WAITING.includes(text) || said.push(text)));
  await page.addInitScript(watchRegions);
  return said;
}

/** Runs in the browser. */
function watchRegions(): void {
  const known = new WeakMap<Element, string>();
  const hear = (globalThis as unknown as { hear: Saying }).hear;
  const regions = () => {
    const announcer = document.querySelector('next-route-announcer')?.shadowRoot?.firstElementChild;
    const own = [...document.querySelectorAll('[role="status"], [role="alert"], [aria-live]')];
    return announcer ? [...own, announcer] : own;
  };
  const listenTo = (saysIt: boolean) => {
    for (const region of regions()) {
      // The `innerText` of an element that is not rendered is its text, which is not announced.
      const words = region instanceof HTMLElement && region.checkVisibility() ? region.innerText : '';
      const text = words.replace(/\s+/g, ' ').trim();
      if (text !== '' && text !== known.get(region) && saysIt) void hear(text);
      known.set(region, text);
    }
  };
  const changes = { childList: true, subtree: true, characterData: true };
  const watcher = new MutationObserver(() => {
    listenTo(document.readyState === 'complete');
    const announcer = document.querySelector('next-route-announcer')?.shadowRoot;
    // Observing the same node twice has no further effect.
    if (announcer) watcher.observe(announcer, changes);
  });
  watcher.observe(document, changes);
}
