import type { Page } from '@playwright/test';

/** What a page says while a slow machine loads parts of it. */
const WAITING = ['One moment', 'Loading'];
/** Begins a line of the page's console that is an announcement. */
const MARK = 'announced: ';

/**
 * The announcements of the page's live regions, in order, across all pages of the journey, but those that only a slow machine has. Text that is already in a
 * region when the page is parsed is not announced, as in a screen reader.
 */
export async function listen(page: Page): Promise<string[]> {
  const said: string[] = [];
  // By the console: a call of an exposed function is lost when the page is left before it is handled.
  page.on('console', (message) => {
    const line = message.text();
    const text = line.slice(MARK.length);
    if (line.startsWith(MARK) && !WAITING.includes(text)) said.push(text);
  });
  await page.addInitScript(watchRegions, MARK);
  return said;
}

/** Runs in the browser. */
function watchRegions(mark: string): void {
  const known = new WeakMap<Element, string>();
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
      // Not every screen reader reads a polite region that is inserted with its text.
      const isHeard = known.has(region) || region.matches('[role="alert"], [aria-live="assertive"]');
      if (text !== '' && text !== known.get(region) && saysIt && isHeard) console.debug(mark + text);
      known.set(region, text);
    }
  };
  const changes = { childList: true, subtree: true, characterData: true };
  const watcher = new MutationObserver(() => {
    // Whatever changes in a page that can be used is news, also while a slow machine still loads its pictures.
    listenTo(document.readyState === 'complete' || document.documentElement.hasAttribute('data-ready'));
    const announcer = document.querySelector('next-route-announcer')?.shadowRoot;
    // Observing the same node twice has no further effect.
    if (announcer) watcher.observe(announcer, changes);
  });
  watcher.observe(document, changes);
}
